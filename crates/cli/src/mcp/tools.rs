//! What is offered to an agent? Seven tools, each with what it takes as a JSON schema.

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

pub fn all() -> Vec<Tool> {
    let mut tools = run_tools();
    tools.extend(read_tools());
    tools
}

fn tool(name: &'static str, told: &'static str, properties: Value, required: &[&str], reads: bool) -> Tool {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties);
    schema.insert("required".to_owned(), json!(required));
    schema.insert("additionalProperties".to_owned(), json!(false));
    Tool::new(name, told, schema).with_annotations(ToolAnnotations::new().read_only(reads).destructive(false))
}

fn offset() -> Value {
    json!({"type": "integer", "minimum": 0, "description": "Go on here: next_offset of the answer before"})
}

fn run_tools() -> Vec<Tool> {
    let how = || {
        json!({
            "samples": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 20,
                "description": "Whole addresses of example pages; those of one site are taken to be of one kind"},
            "name": {"type": "string", "description": "What to call the kind of pages"},
            "hidden": {"type": "boolean", "description": "Look for pages that no link reaches too"},
            "budget": {"type": "integer", "minimum": 1, "description": "Most requests while discovering"},
            "recheck": {"type": "boolean", "description": "Of a known site ask every page again"},
        })
    };
    vec![
        tool(
            "plan_run",
            "What start_run would do with these samples: sites, stages, pace. Asks no site and changes nothing.",
            how(),
            &["samples"],
            true,
        ),
        tool(
            "start_run",
            "Find all pages of the samples' kind, read records from them, keep them in the database. Gives the numbers of the runs; they take \
             minutes to hours. The same samples again: what is not finished goes on, what is asks only for what may have changed.",
            how(),
            &["samples"],
            false,
        ),
        tool(
            "run_status",
            "How far a run is and what came of it; without a number the latest runs.",
            json!({"run": {"type": "integer", "description": "Its number"}, "offset": offset()}),
            &[],
            true,
        ),
    ]
}

fn read_tools() -> Vec<Tool> {
    vec![
        tool(
            "describe",
            "The data sets of the database: site, kind of pages, columns with examples of their values, how complete they are, and the tables and views \
             that query can read.",
            json!({
                "site": {"type": "string", "description": "Only this site"},
                "class": {"type": "string", "description": "Only this kind of pages"},
                "offset": offset(),
            }),
            &[],
            true,
        ),
        tool(
            "query",
            "One SQL statement that only reads, in the database's own dialect (SQLite or PostgreSQL). At most 100 rows an answer; give ORDER BY to page \
             through them with offset.",
            json!({"sql": {"type": "string", "description": "SELECT ..."}, "offset": offset()}),
            &["sql"],
            true,
        ),
        tool(
            "evidence",
            "Where the values of a record come from: the text on the page, its place, how sure it is, when the page was fetched, its digest, and what the \
             record said before.",
            json!({
                "url": {"type": "string", "description": "The address of the record's page"},
                "record": {"type": "integer", "minimum": 0, "description": "Its number among the records of the page"},
                "class": {"type": "string", "description": "The kind of pages, where several have the address"},
            }),
            &["url"],
            true,
        ),
        tool(
            "findings",
            "What is not true of the records, with bounds on its probability and reasons.",
            json!({"site": {"type": "string", "description": "Only this site"}, "offset": offset()}),
            &[],
            true,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_says_what_it_takes() {
        let tools = all();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, ["plan_run", "start_run", "run_status", "describe", "query", "evidence", "findings"]);
        assert!(tools.iter().all(|tool| tool.input_schema["type"] == "object" && tool.description.is_some()));
    }
}
