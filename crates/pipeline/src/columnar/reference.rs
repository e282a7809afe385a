//! What is in a Parquet file of things known? Its columns as text → a [`Reference`].

use crate::Error;
use crate::reference::{grown, opened};
use pagekin_core::check::Reference;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use std::path::Path;

pub fn read_reference(path: &Path) -> Result<Reference, Error> {
    let told = |error: parquet::errors::ParquetError| Error::Reference {
        name: path.display().to_string(),
        reason: error.to_string(),
    };
    let reader = SerializedFileReader::new(opened(path)?).map_err(told)?;
    let fields = reader.metadata().file_metadata().schema().get_fields();
    let mut reference = Reference::new(fields.iter().map(|field| field.name().to_owned()).collect());
    for row in reader.get_row_iter(None).map_err(told)? {
        let row = row.map_err(told)?;
        let cells: Vec<String> = row.get_column_iter().map(|(_, field)| cell(field)).collect();
        grown(path, reference.push(cells.iter().map(String::as_str)))?;
    }
    Ok(reference)
}

fn cell(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        other => other.to_string(),
    }
}
