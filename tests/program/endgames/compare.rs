//! `compare`: values under two rule sets.

use super::*;

#[test]
fn compared_values_are_those_of_both_exports() {
    let export = |rules: &str| csv(&printed(&with_small(&format!("export --rules {rules}"))));
    let (standard, free) = (export("standard"), export("free-capture"));
    let mut counts = BTreeMap::<(String, String, String), u64>::new();
    for (one, other) in standard.iter().zip(&free) {
        assert_eq!(one.position, other.position);
        let key = (one.slice.clone(), one.value.clone(), other.value.clone());
        *counts.entry(key).or_default() += one.weight;
    }
    let report = json(&with_small("compare --rules standard,free-capture"));
    assert_eq!(
        (&report["board"], &report["rules"]),
        (&json!("3x3"), &json!(["standard", "free-capture"]))
    );
    let mut total = 0;
    let mut differing = 0;
    for cell in list(&report, "cells") {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let values = [text(&cell["values"][0]), text(&cell["values"][1])];
        let [one, other] = values.clone();
        let expected = counts.remove(&(text(&cell["slice"]), one, other)).unwrap_or(0);
        assert_eq!(cell["positions"], expected, "{cell}");
        assert_eq!(cell.get("example").is_some(), expected > 0, "{cell}");
        total += expected;
        if values[0] != values[1] {
            differing += expected;
        }
        if let Some(example) = cell.get("example") {
            for (i, (rules, value)) in ["standard", "free-capture"].iter().zip(&values).enumerate()
            {
                let probe = format!("probe --rules {rules} {}", example["position"]);
                let probed = json(&with_small(&probe).replace("--board 3x3", ""));
                assert_eq!(probed["value"], **value);
                let dtw = probed.get("dtw").unwrap_or(&Value::Null);
                assert_eq!(*dtw, example["dtw"][i], "{cell}");
            }
        }
    }
    assert!(counts.is_empty(), "{counts:?}");
    assert_eq!(total, standard.iter().map(|row| row.weight).sum::<u64>());
    assert!(differing > 0);
    let text = printed(&with_small("compare --rules standard,free-capture"));
    assert!(text.starts_with("3x3: standard in rows, free-capture in columns\n\n"), "{text}");
    // One slice alone, and a rule set with itself under two names of the same rules.
    let one = json(&with_small("compare --rules standard,free-capture --slice 2v1"));
    assert_eq!(list(&one, "cells").len(), 9);
}

#[test]
fn comparisons_that_cannot_be() {
    let refused_small = |args: &str, parts: &[&str]| refused(&with_small(args), 2, parts);
    refused_small("compare", &["1 rule set; name two", "--rules standard,free-capture"]);
    refused_small("compare --rules standard,standard", &["1 rule set; name two"]);
    refused_small(
        "compare --rules standard,free-capture,vela+stones-1",
        &["3 rule sets; name two"],
    );
    refused_small("compare --rules standard,chess", &["'chess' is not a rule set"]);
    let missing = &["no tables of 3x3 under forced-relay", "fanorona build"];
    refused_small("compare --rules standard,forced-relay", missing);
    refused_small("compare --rules standard,free-capture --stones 6", &["no wdl or dtw table"]);
}
