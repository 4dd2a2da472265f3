//! The page in few files: its modules joined into one script, its style sheets into one sheet.

use std::fmt::Write as _;

/// The joined script.
pub(crate) const SCRIPT: &str = "page.js";

/// The joined style sheet.
pub(crate) const STYLE: &str = "style/page.css";

/// The module that starts the page.
pub(crate) const ENTRY: &str = "js/main.js";

/// Gives joining the text of a file of the page.
pub(crate) type Source<'a> = &'a dyn Fn(&str) -> Option<&'a str>;

/// Joins a module and those that it imports. Each becomes a function that returns its exports, in the
/// order in which a browser would run them.
///
/// The modules have static imports only, each import and export at the beginning of a line, and no text of
/// several lines. `None` if that is not so, or if a module is missing.
pub(crate) fn script(source: Source<'_>, entry: &str) -> Option<String> {
    let mut order = Vec::new();
    visit(source, entry, &mut order)?;
    let mut script = String::new();
    for module in order {
        let (name, exports) = (variable(&module.path), module.exports.join(", "));
        write!(
            script,
            "const {name} = (() => {{\n{}return {{ {exports} }};\n}})();\n",
            module.code
        )
        .ok()?;
    }
    Some(script)
}

/// The modules that a module imports, directly or not. `None` as for [`script`].
pub(crate) fn imports(source: Source<'_>, entry: &str) -> Option<Vec<String>> {
    let mut order = Vec::new();
    visit(source, entry, &mut order)?;
    order.pop();
    Some(order.into_iter().map(|module| module.path).collect())
}

/// A module, ready to be joined.
struct Module {
    path: String,
    code: String,
    exports: Vec<String>,
}

/// Adds a module to the order, behind those that it imports.
fn visit(source: Source<'_>, path: &str, order: &mut Vec<Module>) -> Option<()> {
    if order.iter().any(|module| module.path == path) {
        return Some(());
    }
    let text = without_comments(source(path)?);
    let (mut code, mut exports) = (String::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("import ") {
            let mut import = rest.to_owned();
            while !import.ends_with(';') {
                import += lines.next()?;
            }
            let (names, from) = import.strip_suffix("\";")?.split_once(" from \"")?;
            let imported = beside(path, from)?;
            visit(source, &imported, order)?;
            let names = match names.strip_prefix("* as ") {
                Some(name) => name.to_owned(),
                None => names.replace(" as ", ": "),
            };
            writeln!(code, "const {names} = {};", variable(&imported)).ok()?;
            continue;
        }
        match line.strip_prefix("export ") {
            Some(declaration) => {
                exports.push(declared(declaration)?.to_owned());
                code += declaration;
            }
            None => code += line.trim_start(),
        }
        // A text of several lines would lose its indentation.
        if line.matches('`').count() % 2 == 1 {
            return None;
        }
        code.push('\n');
    }
    order.push(Module { path: path.to_owned(), code, exports });
    Some(())
}

/// The path of a module that another one imports, as in `./a.js` or `../js/a.js`.
fn beside(path: &str, from: &str) -> Option<String> {
    let (directory, _) = path.rsplit_once('/')?;
    match from.strip_prefix("./") {
        Some(name) => Some(format!("{directory}/{name}")),
        // A directory of modules is below that of the page.
        None => from.strip_prefix("../").map(str::to_owned),
    }
}

/// The name that a declaration gives.
fn declared(declaration: &str) -> Option<&str> {
    let declaration = declaration.strip_prefix("async ").unwrap_or(declaration);
    let kinds = ["const ", "function ", "function* ", "class "];
    let rest = kinds.iter().find_map(|kind| declaration.strip_prefix(kind))?;
    rest.split(|char: char| !(char.is_ascii_alphanumeric() || "_$".contains(char))).next()
}

/// The variable that holds the exports of a module.
fn variable(path: &str) -> String {
    let stem = path.trim_start_matches("js/").trim_end_matches(".js");
    format!("m_{}", stem.replace(|char: char| !char.is_ascii_alphanumeric(), "_"))
}

/// A script without the comments that begin a line.
fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut is_comment = false;
    for line in text.lines() {
        let mut rest = line.trim_start();
        is_comment |= rest.starts_with("/*");
        if is_comment {
            let Some((_, behind)) = rest.split_once("*/") else { continue };
            is_comment = false;
            rest = behind.trim_start();
            if rest.is_empty() {
                continue;
            }
            code += rest;
        } else if rest.is_empty() || rest.starts_with("//") {
            continue;
        } else {
            code += line;
        }
        code.push('\n');
    }
    code
}

/// The parts of the index that name style sheets: the path, and the medium if there is one.
fn sheet(line: &str) -> Option<(&str, Option<&str>)> {
    let rest = line.trim().strip_prefix("<link rel=\"stylesheet\" href=\"assets/")?;
    let (path, rest) = rest.split_once('"')?;
    let medium = rest.strip_prefix(" media=\"").and_then(|rest| Some(rest.split_once('"')?.0));
    Some((path, medium))
}

/// Joins the style sheets that the index names, in their order.
pub(crate) fn style(index: &str, source: Source<'_>) -> Option<String> {
    let mut style = String::new();
    for (path, medium) in index.lines().filter_map(sheet) {
        let sheet = source(path)?;
        match medium {
            Some(medium) => write!(style, "@media {medium} {{\n{sheet}}}\n").ok()?,
            None => style += sheet,
        }
    }
    Some(style)
}

/// The index that asks for the joined files.
pub(crate) fn index(index: &str) -> String {
    let mut joined = String::with_capacity(index.len());
    let mut has_style = false;
    for line in index.lines() {
        if line.contains("rel=\"modulepreload\"") {
            continue;
        }
        if sheet(line).is_none() {
            joined += &line.replace(&format!("assets/{ENTRY}"), &format!("assets/{SCRIPT}"));
            joined.push('\n');
        } else if !has_style {
            has_style = true;
            joined += &format!("<link rel=\"stylesheet\" href=\"assets/{STYLE}\">\n");
            joined += &format!("<link rel=\"modulepreload\" href=\"assets/{SCRIPT}\">\n");
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_joined_in_the_order_of_their_imports() {
        let source = |path: &str| {
            Some(match path {
                "js/main.js" => {
                    "// Starts.\nimport * as a from \"./a.js\";\nimport {\n  two,\n  three as drei,\n} \
                     from \"./b.js\";\n/** @type {number} */\nlet n = 1;\n/** @type {any} */ (a.one)();\n"
                }
                "js/a.js" => {
                    "import { two } from \"./b.js\";\n/**\n * Adds.\n */\nexport function one() {\n  return \
                     two;\n}\n"
                }
                "js/b.js" => {
                    "export const two = 2;\nexport async function three() {}\nexport class X extends \
                     Error {}\n"
                }
                _ => return None,
            })
        };
        let expected = "\
const m_b = (() => {
const two = 2;
async function three() {}
class X extends Error {}
return { two, three, X };
})();
const m_a = (() => {
const { two } = m_b;
function one() {
return two;
}
return { one };
})();
const m_main = (() => {
const a = m_a;
const {  two,  three: drei,} = m_b;
let n = 1;
(a.one)();
return {  };
})();
";
        assert_eq!(script(&source, ENTRY).as_deref(), Some(expected));
        assert_eq!(script(&|_| None, ENTRY), None);
        for refused in ["export default 3;\n", "export const text = `one\n  two`;\n"] {
            let source = |path: &str| (path == ENTRY).then_some(refused);
            assert_eq!(script(&source, ENTRY), None);
        }
    }

    #[test]
    fn a_script_beside_the_page_imports_modules_of_both() {
        let source = |path: &str| {
            Some(match path {
                "static/worker.js" => {
                    "import { a } from \"../js/a.js\";\nimport { b } from \"./b.js\";\nb(a, \
                     import(\"./module.js\"));\n"
                }
                "static/b.js" => "import { a } from \"../js/a.js\";\nexport const b = a;\n",
                "js/a.js" => "export const a = 1;\n",
                _ => return None,
            })
        };
        let expected = "\
const m_a = (() => {
const a = 1;
return { a };
})();
const m_static_b = (() => {
const { a } = m_a;
const b = a;
return { b };
})();
const m_static_worker = (() => {
const { a } = m_a;
const { b } = m_static_b;
b(a, import(\"./module.js\"));
return {  };
})();
";
        let entry = "static/worker.js";
        assert_eq!(script(&source, entry).as_deref(), Some(expected));
        assert_eq!(imports(&source, entry).unwrap(), ["js/a.js", "static/b.js"]);
    }

    #[test]
    fn sheets_keep_their_order_and_medium() {
        let page = "<link rel=\"stylesheet\" href=\"assets/style/a.css\">\n\
                    <link rel=\"stylesheet\" href=\"assets/style/p.css\" media=\"print\">\n\
                    <link rel=\"modulepreload\" href=\"assets/js/a.js\">\n\
                    <script type=\"module\" src=\"assets/js/main.js\"></script>\n";
        let source = |path: &str| Some(if path == "style/a.css" { "a {}\n" } else { "p {}\n" });
        assert_eq!(style(page, &source).as_deref(), Some("a {}\n@media print {\np {}\n}\n"));
        let expected = "<link rel=\"stylesheet\" href=\"assets/style/page.css\">\n\
                        <link rel=\"modulepreload\" href=\"assets/page.js\">\n\
                        <script type=\"module\" src=\"assets/page.js\"></script>\n";
        assert_eq!(index(page), expected);
    }
}
