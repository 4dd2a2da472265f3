//! Turns and games.

use axum::body::Body;
use axum::http::Response;

use super::super::app::App;
use super::super::input::Parameters;
use super::super::reply::json;
use crate::answer::TurnAnswer;
use crate::problem::{Problem, ProblemKind};

pub(super) async fn turn(
    App { 0: app, .. }: App,
    parameters: Parameters,
) -> Result<Response<Body>, Problem> {
    let parameters = parameters.only(&["board", "rules", "position", "turn"])?;
    let answered = app.compute(move |_| {
        let variant = parameters.variant()?;
        let turn = parameters.text("turn").ok_or_else(|| {
            Problem::new(ProblemKind::BadTurn, "there is no turn", "turn=d3-e3A").in_field("turn")
        })?;
        Ok(json(&TurnAnswer::new(variant, parameters.text("position"), turn)?))
    });
    answered.await
}
