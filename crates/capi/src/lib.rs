//! The C interface of **Fanorona**.
