//! The interface to JavaScript.

use std::cell::RefCell;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, header};
use fanorona_explorer::site::Manifest;
use fanorona_explorer::{EventSink, Explorer, Library, LibraryOptions, Settings};
use fanorona_storage::{Access, ShardStore};
use http_body_util::BodyExt;
use serde::Serialize;
use serde_json::value::RawValue;
use tower::ServiceExt;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::files::{Files, PROOFS, TABLES};

/// The memory for shards between two requests. Their blocks are kept besides, unpacked.
const SHARD_BYTES: u64 = 64 << 20;

#[wasm_bindgen]
extern "C" {
    /// Takes an event of the request with this number.
    #[wasm_bindgen(js_namespace = globalThis, js_name = fanoronaEvent)]
    fn send(id: u32, name: &str, json: &str);
}

thread_local! {
    /// The request that is being answered: its number, and the shards for it.
    static REQUEST: RefCell<Option<(u32, Arc<ShardStore>)>> = const { RefCell::new(None) };
}

/// Sends an event of the request that is being answered. A failure because shards are missing is none.
fn send_event(name: &str, json: &str) {
    REQUEST.with_borrow(|request| {
        if let Some((id, store)) = request
            && !(name == "failed" && store.is_waiting())
        {
            send(*id, name, json);
        }
    });
}

/// The explorer of a static site.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Site {
    router: Router,
    store: Arc<ShardStore>,
    /// The request that was asked last.
    last: Option<u32>,
}

/// An answer to JavaScript.
#[derive(Serialize)]
struct Answer<'a> {
    status: u16,
    body: &'a RawValue,
}

#[wasm_bindgen]
impl Site {
    /// The explorer of a site with this manifest.
    ///
    /// # Errors
    /// A text that says what is wrong with the manifest.
    #[wasm_bindgen(constructor)]
    pub fn new(manifest: &str) -> Result<Self, String> {
        let store = Arc::new(ShardStore::new(SHARD_BYTES));
        let manifest = Manifest::parse(manifest)
            .map_err(|error| format!("the manifest cannot be read: {error}"))?;
        let Files { all, as_they_are } = Files::new(&manifest, &store)?;
        // A worker has one site, and both end together.
        let access = Access::fetch(Box::leak(Box::new(all)));
        let mut options = LibraryOptions::new([PathBuf::from(TABLES)]);
        options.tables.access = access;
        options.search_access = Some(Access::fetch(Box::leak(Box::new(as_they_are))));
        options.proofs = vec![PathBuf::from(PROOFS)];
        let mut settings = Settings::in_browser();
        settings.events = EventSink(send_event);
        let explorer = Explorer::new(Library::new(options, Vec::new()), settings);
        Ok(Self { router: explorer.routes(), store, last: None })
    }

    /// Answers a request of the API: a JSON object with status and body, or nothing if shards are
    /// missing, which are then [wanted](Self::wanted). The same request with the same number is to be
    /// made again when they are there. Events of a stream go out through `fanoronaEvent` at once.
    pub fn request(
        &mut self,
        id: u32,
        method: &str,
        address: &str,
        body: Option<String>,
    ) -> Option<String> {
        if self.last.replace(id) != Some(id) {
            self.store.begin();
        }
        REQUEST.set(Some((id, self.store.clone())));
        let request = Request::builder()
            .method(method)
            .uri(format!("/{address}"))
            .header(header::CONTENT_TYPE, "application/json")
            .body(body.map_or_else(Body::empty, Body::from));
        let (status, body) = match request {
            Ok(request) => finish(answer(self.router.clone(), request)),
            Err(error) => (400, error.to_string()),
        };
        if self.store.is_waiting() {
            return None;
        }
        // All bodies are JSON but that of an address that cannot be one.
        let body = RawValue::from_string(body).unwrap_or_default();
        serde_json::to_string(&Answer { status, body: &body }).ok()
    }

    /// The checksums of the shards that the last request lacks, with 16 hexadecimal digits.
    pub fn wanted(&self) -> Vec<String> {
        self.store.wanted().into_iter().map(|checksum| format!("{checksum:016x}")).collect()
    }

    /// Takes a shard.
    ///
    /// # Errors
    /// A text if the bytes have another checksum.
    pub fn put(&self, checksum: &str, bytes: &[u8]) -> Result<(), String> {
        let expected = u64::from_str_radix(checksum, 16)
            .map_err(|_| format!("'{checksum}' is not a checksum"))?;
        self.store.put(expected, bytes).map_err(|found| {
            format!("shard {expected:016x} is damaged: its checksum is {found:016x}")
        })
    }

    /// The bytes of the shards in memory.
    pub fn resident(&self) -> f64 {
        self.store.bytes() as f64
    }
}

/// The checksum of a shard, with 16 hexadecimal digits.
#[wasm_bindgen]
pub fn checksum(bytes: &[u8]) -> String {
    format!("{:016x}", fanorona_storage::checksum(bytes))
}

async fn answer(router: Router, request: Request<Body>) -> (u16, String) {
    let response: Response<Body> = match router.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.map(|body| body.to_bytes());
    let text = bytes.ok().and_then(|bytes| String::from_utf8(bytes.into()).ok());
    (status, text.unwrap_or_default())
}

/// Runs a future that never waits: all work is done at once.
fn finish<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(answer) => answer,
        Poll::Pending => unreachable!("nothing here waits"),
    }
}
