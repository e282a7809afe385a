//! How do other programs get what was found? Entities → the bytes of a Parquet file.
//!
//! Columns `url`, `confidence`, `via` (may be null) and `evidence`, as in a line of JSON; packed with zstd. The same
//! entities give the same bytes. Does not know files.

use crate::Error;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use pagekin_core::discover::Entity;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::sync::Arc;

pub fn parquet(entities: &[Entity]) -> Result<Vec<u8>, Error> {
    let batch = columns(entities)?;
    let packed = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(packed))?;
    writer.write(&batch)?;
    Ok(writer.into_inner()?)
}

fn columns(entities: &[Entity]) -> Result<RecordBatch, ParquetError> {
    let schema = Schema::new(vec![
        Field::new("url", DataType::Utf8, false),
        Field::new("confidence", DataType::Float64, false),
        Field::new("via", DataType::Utf8, true),
        Field::new("evidence", DataType::Utf8, false),
    ]);
    let via = entities.iter().map(|entity| entity.via.as_ref().map(|via| via.as_str()));
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(entities.iter().map(|entity| entity.url.as_str()))),
        Arc::new(Float64Array::from_iter_values(entities.iter().map(|entity| entity.confidence))),
        Arc::new(via.collect::<StringArray>()),
        Arc::new(StringArray::from_iter_values(entities.iter().map(|entity| entity.evidence.as_str()))),
    ];
    Ok(RecordBatch::try_new(Arc::new(schema), columns)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use url::Url;

    #[test]
    fn what_is_written_can_be_read_again() {
        let entity = |path: &str, via: Option<&str>| Entity {
            url: Url::parse(path).unwrap(),
            confidence: 0.5,
            via: via.map(|via| Url::parse(via).unwrap()),
            evidence: "alike".to_owned(),
        };
        let entities = [entity("http://s/1", Some("http://s/")), entity("http://s/2", None)];
        let bytes = parquet(&entities).unwrap();
        assert_eq!(bytes, parquet(&entities).unwrap());
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let rows: Vec<String> = reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
        assert_eq!(
            rows,
            [
                r#"{url: "http://s/1", confidence: 0.5, via: "http://s/", evidence: "alike"}"#,
                r#"{url: "http://s/2", confidence: 0.5, via: null, evidence: "alike"}"#,
            ]
        );
        assert!(parquet(&[]).is_ok(), "nothing found is a file too");
    }
}
