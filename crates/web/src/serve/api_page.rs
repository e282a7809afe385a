//! How does a person try the API? Its description → a page with a form for each operation.

use super::Shared;
use super::answer::page;
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::routing::get;
use std::sync::Arc;

/// One way to ask, for people.
struct Operation {
    method: String,
    path: String,
    summary: String,
    parameters: Vec<Parameter>,
    /// An example of a body, where there is one.
    body: Option<String>,
}

struct Parameter {
    name: String,
    place: String,
    what: String,
}

#[derive(Template)]
#[template(path = "serve/api.html")]
struct Operations<'r> {
    csrf: &'r str,
    operations: &'r [Operation],
}

pub fn routes(described: &serde_json::Value) -> Router<Shared> {
    let operations = Arc::new(operations(described));
    Router::new().route(
        "/api",
        get(|State(app): State<Shared>| async move {
            page(&Operations { csrf: app.secrets.csrf(), operations: &operations })
        }),
    )
}

fn operations(described: &serde_json::Value) -> Vec<Operation> {
    let mut operations = Vec::new();
    for (path, ways) in described["paths"].as_object().into_iter().flatten() {
        for (method, way) in ways.as_object().into_iter().flatten() {
            let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
            let parameter = |own: &serde_json::Value| {
                let (name, place, what) = (text(&own["name"]), text(&own["in"]), text(&own["description"]));
                Parameter { name, place, what }
            };
            let schema = &way["requestBody"]["content"]["application/json"]["schema"]["$ref"];
            operations.push(Operation {
                method: method.to_uppercase(),
                path: path.clone(),
                summary: text(&way["summary"]),
                parameters: way["parameters"].as_array().into_iter().flatten().map(parameter).collect(),
                body: schema.as_str().map(|name| example(described, name)),
            });
        }
    }
    operations
}

/// A body with everything that has to be in it, and nothing else.
fn example(described: &serde_json::Value, reference: &str) -> String {
    let schema = described.pointer(reference.trim_start_matches('#')).unwrap_or(&serde_json::Value::Null);
    let needed = schema["required"].as_array().into_iter().flatten().filter_map(|name| name.as_str());
    let value = |name: &str| match schema["properties"][name]["type"].as_str() {
        Some("integer" | "number") => serde_json::json!(1),
        _ => serde_json::json!(""),
    };
    let body: serde_json::Map<String, serde_json::Value> = needed.map(|name| (name.to_owned(), value(name))).collect();
    serde_json::to_string_pretty(&body).unwrap_or_default()
}
