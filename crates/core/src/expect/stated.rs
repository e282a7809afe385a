//! What did the person say, and is it so? [`Expectations`] and what a run did → what is not.

use super::{Column, ColumnExpectation, Expectations, Missed, Observed};

/// Share of the values of a column that have to be of the type it is said to be of.
const OF_TYPE: f64 = 0.95;

pub fn missed(expect: &Expectations, seen: &Observed) -> Vec<Missed> {
    let mut missed: Vec<Missed> = records(expect, seen).into_iter().collect();
    let none = Column::default();
    for (name, column) in &expect.columns {
        let of = seen.columns.get(name).unwrap_or(&none);
        missed.extend(fill(name, column, of, seen.records));
        missed.extend(of_type(name, column, of));
        missed.extend(range(name, column, of));
        missed.extend(newest(name, column, of, seen.today));
    }
    missed
}

fn records(expect: &Expectations, seen: &Observed) -> Option<Missed> {
    let least = expect.records.filter(|least| seen.records < *least && seen.records > 0)?;
    Some(Missed::new("records", format!("there are {} records, and at least {least} are expected", seen.records), []))
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn fill(name: &str, expect: &ColumnExpectation, column: &Column, records: usize) -> Option<Missed> {
    let share = column.filled as f64 / records.max(1) as f64;
    let least = expect.fill.filter(|least| share < *least)?;
    let because =
        format!("`{name}` is on {} of the records, and is expected on {} at least", percent(share), percent(least));
    Some(Missed::new("fill", because, []))
}

fn of_type(name: &str, expect: &ColumnExpectation, column: &Column) -> Option<Missed> {
    let kind = expect.kind.as_ref()?;
    let of = column.kinds.get(kind).copied().unwrap_or(0);
    let share = of as f64 / column.filled.max(1) as f64;
    if column.filled == 0 || share >= OF_TYPE {
        return None;
    }
    let because = format!("`{name}` is a {kind} in {} of its values, and is expected to be one", percent(share));
    let others = column.examples.iter().filter(|(other, _)| *other != kind);
    Some(Missed::new("type", because, others.map(|(_, (url, text))| format!("{url}: {text}"))))
}

fn range(name: &str, expect: &ColumnExpectation, column: &Column) -> Option<Missed> {
    let below = expect.least.zip(column.least.as_ref()).filter(|(least, (value, _))| value < least);
    let above = expect.most.zip(column.most.as_ref()).filter(|(most, (value, _))| value > most);
    let told = |(bound, (value, url)): (f64, &(f64, String)), word: &str| {
        let because = format!("`{name}` is {value}, and is expected to be {bound} at {word}");
        Missed::new("range", because, [url.clone()])
    };
    below.map(|below| told(below, "least")).or(above.map(|above| told(above, "most")))
}

fn newest(name: &str, expect: &ColumnExpectation, column: &Column, today: i64) -> Option<Missed> {
    let days = i64::from(expect.newest?);
    match column.newest {
        Some(newest) if today - newest <= days => None,
        Some(newest) => {
            let because =
                format!("the newest `{name}` is {} days old, and is expected to be {days} at most", today - newest);
            Some(Missed::new("newest", because, []))
        }
        None => Some(Missed::new("newest", format!("`{name}` holds no date"), [])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen() -> Observed {
        let mut seen = Observed { first: true, records: 4, today: 20_000, ..Observed::default() };
        for (url, price) in [("u1", "10 EUR"), ("u2", "12 EUR"), ("u3", "call us")] {
            seen.columns.entry("price".to_owned()).or_default().see(url, price);
        }
        seen.columns.entry("date".to_owned()).or_default().see("u1", "2024-09-01");
        seen
    }

    fn one(column: ColumnExpectation, name: &str) -> Vec<String> {
        let columns = [(name.to_owned(), column)].into();
        let expect = Expectations { columns, ..Expectations::default() };
        missed(&expect, &seen()).into_iter().map(|one| one.expectation).collect()
    }

    #[test]
    fn each_expectation_is_missed_by_itself() {
        let column = ColumnExpectation::default;
        assert_eq!(one(ColumnExpectation { fill: Some(0.9), ..column() }, "price"), ["fill"]);
        assert_eq!(one(ColumnExpectation { kind: Some("money".to_owned()), ..column() }, "price"), ["type"]);
        assert_eq!(one(ColumnExpectation { most: Some(11.0), ..column() }, "price"), ["range"]);
        assert_eq!(one(ColumnExpectation { least: Some(11.0), ..column() }, "price"), ["range"]);
        assert_eq!(one(ColumnExpectation { newest: Some(7), ..column() }, "date"), ["newest"]);
        assert_eq!(one(ColumnExpectation { newest: Some(7), ..column() }, "nothing"), ["newest"]);
        let few = Expectations { records: Some(5), ..Expectations::default() };
        assert_eq!(missed(&few, &seen())[0].expectation, "records");
    }

    #[test]
    fn what_is_as_expected_is_not_told() {
        let price = ColumnExpectation { fill: Some(0.7), least: Some(10.0), most: Some(12.0), ..Default::default() };
        assert_eq!(one(price, "price"), [""; 0]);
        assert_eq!(one(ColumnExpectation { newest: Some(33), ..Default::default() }, "date"), [""; 0]);
    }
}
