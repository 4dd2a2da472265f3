//! The dialogues on the page `docs/UGI.md`.
