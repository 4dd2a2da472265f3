//! Where answers go: whole lines, from any thread.

use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex};

use crate::protocol::{Info, Message};

/// The longest text for people, in characters.
const MAX_TEXT: usize = 1_000;

/// A writer that several threads share. Messages that are sent together stand together. Once it
/// failed, nothing more is written.
#[derive(Clone)]
pub(super) struct Output(Arc<Mutex<Option<Box<dyn Write + Send>>>>);

impl Output {
    pub(super) fn new(writer: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Some(Box::new(writer)))))
    }

    /// Writes messages, each on a line of its own.
    pub(super) fn send(&self, messages: &[Message]) {
        let mut text = String::new();
        for message in messages {
            text += &message.to_string();
            text.push('\n');
        }
        let mut writer = self.0.lock().unwrap_or_else(|lock| lock.into_inner());
        let written = writer.as_mut().map(|writer| {
            writer.write_all(text.as_bytes())?;
            writer.flush()
        });
        if let Some(Err(_)) = written {
            // The reader is gone: nothing more can be said.
            *writer = None;
        }
    }

    /// Writes an `info string`.
    pub(super) fn say(&self, text: impl fmt::Display) {
        let visible = |c: char| if c.is_control() { ' ' } else { c };
        let text: String = text.to_string().chars().map(visible).take(MAX_TEXT).collect();
        self.send(&[Message::Info(Info::text(text))]);
    }

    /// Whether writing has failed.
    pub(super) fn is_closed(&self) -> bool {
        self.0.lock().unwrap_or_else(|lock| lock.into_inner()).is_none()
    }
}
