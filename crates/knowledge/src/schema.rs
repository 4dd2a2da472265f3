//! Schemas of the names that values of `fanorona-core` and `fanorona-tablebase` have in JSON, to be
//! named as the `value_type` of a field.

use utoipa::ToSchema;

/// The schemas of enums that are written as their names in snake case. (A type named `Value` would
/// stand for any JSON.)
macro_rules! names {
    ($($(#[$about:meta])* $type:ident { $($name:ident),* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, serde::Serialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        #[expect(missing_docs, reason = "the names say it")]
        pub enum $type { $($name),* }
    )*};
}

names! {
    /// A value, if it is known.
    KnownValue { Win, Draw, Loss, Unknown }
    /// A bound of a value.
    Bound { Win, Draw, Loss }
    /// A side.
    Side { White, Black }
    /// The result of a game that is over: the winner, or a draw.
    Outcome { White, Black, Draw }
    /// Whether a step captures, and how: by approach the line beyond the point where it ends, by
    /// withdrawal the line behind the point where it starts.
    StepKind { Paika, Approach, Withdrawal }
    /// The content of a table: win, draw or loss; or also the distance to the end of the game.
    Metric { Wdl, Dtw }
    /// How much the side to move loses by having to move. It is `full` if it loses, and would win.
    Zugzwang { Full, DrawToLoss, WinToDraw }
}

/// Gives a type the schema of the struct that it is written as.
macro_rules! as_its_fields {
    ($type:ty, $fields:ty) => {
        impl utoipa::PartialSchema for $type {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                <$fields>::schema()
            }
        }

        impl utoipa::ToSchema for $type {
            fn name() -> std::borrow::Cow<'static, str> {
                <$fields as utoipa::ToSchema>::name()
            }

            fn schemas(
                schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)>,
            ) {
                <$fields as utoipa::ToSchema>::schemas(schemas);
            }
        }
    };
}

pub(crate) use as_its_fields;
