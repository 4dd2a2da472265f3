//! Prints the description of the API, from which the types of the page are made.

fn main() {
    println!("{}", fanorona_explorer::openapi());
}
