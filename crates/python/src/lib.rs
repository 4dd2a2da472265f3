//! The extension module of the Python package **fanorona**.
