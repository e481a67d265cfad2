//! The table and the buckets over HTTP on one port: the embedded engine and the S3 fake of the testkit, without their record of requests.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Request, Response, StatusCode};
use taxonomy_keys::ItemKey;
use taxonomy_testkit::fixtures::{SOURCE_BUCKET, TABLE};
use taxonomy_testkit::s3::sns_event;
use taxonomy_testkit::{EmbeddedDynamoDb, S3Fake};

use crate::server::{self, Answer};

/// The tenant of the load.
pub(crate) const TENANT: &str = "load";

/// The stores. Clones are the same stores.
#[derive(Clone)]
pub(crate) struct Stores {
    db: EmbeddedDynamoDb,
    s3: S3Fake,
    /// The time at which the head began to name a version as served, by version.
    served: Arc<Mutex<BTreeMap<u64, Instant>>>,
}

impl Stores {
    /// Creates empty stores and serves them. Returns them with their address.
    pub(crate) async fn serve() -> io::Result<(Self, SocketAddr)> {
        let stores = Self {
            db: EmbeddedDynamoDb::new(),
            s3: S3Fake::new(),
            served: Arc::default(),
        };
        stores.db.create_table(TABLE);
        // Its records would be searched before each write, and no aggregator reads them here.
        stores.db.stop_stream(TABLE);
        let address = server::serve(Arc::new(stores.clone())).await?;
        Ok((stores, address))
    }

    /// Writes a file as an upstream does. Returns the event for the projector.
    pub(crate) fn upload(&self, file: &[u8]) -> String {
        let key = format!("taxonomies/{TENANT}.json");
        // The first release of a taxonomy follows its last one again, which removes more terms than a file may.
        self.s3
            .put_with(SOURCE_BUCKET, &key, file, None, &[("allow-removals", "true")]);
        sns_event(&[self.s3.event(SOURCE_BUCKET, &key)]).to_string()
    }

    /// Returns the time at which each version began to be served.
    pub(crate) fn served(&self) -> MutexGuard<'_, BTreeMap<u64, Instant>> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn table(&self, operation: &str, body: &[u8]) -> Response<Full<Bytes>> {
        let request = String::from_utf8_lossy(body);
        let writes = matches!(operation, "PutItem" | "UpdateItem" | "TransactWriteItems");
        let (status, answer) = if writes && request.contains("\"HEAD\"") {
            // Held over the write, so that a version is not seen before its time is noted.
            let mut served = self.served();
            let answer = self.db.answer(operation, &request);
            if let Some(version) = self.projected() {
                served.entry(version).or_insert_with(Instant::now);
            }
            answer
        } else {
            self.db.answer(operation, &request)
        };
        let headers = [
            ("content-type", "application/x-amz-json-1.0"),
            ("x-amzn-requestid", "LOAD"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        response(status, headers.into(), answer.to_string().into_bytes())
    }

    fn projected(&self) -> Option<u64> {
        let tenant = TENANT.parse().ok()?;
        let head = ItemKey::Head { tenant }.key();
        let head = self.db.item(TABLE, &head.pk, &head.sk)?;
        head.get("Projected")?.as_n().ok()?.parse().ok()
    }
}

impl Answer for Stores {
    async fn answer(&self, request: Request<()>, body: Bytes) -> Response<Full<Bytes>> {
        let target = request
            .headers()
            .get("x-amz-target")
            .and_then(|target| target.to_str().ok());
        match target.and_then(|target| target.split_once('.')) {
            Some(("DynamoDB_20120810", operation)) => self.table(operation, &body),
            // A message of the projector to a queue is a sign that it could not do its work.
            Some(_) => response(501, Vec::new(), Vec::new()),
            None => {
                let headers = request.headers().iter();
                let headers = headers
                    .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
                let target = request
                    .uri()
                    .path_and_query()
                    .map_or("/", |target| target.as_str());
                let (status, headers, body) = self.s3.answer(
                    request.method().as_str(),
                    target,
                    headers.collect(),
                    body.to_vec(),
                );
                response(status, headers, body)
            }
        }
    }
}

fn response(status: u16, headers: Vec<(String, String)>, body: Vec<u8>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let parsed = headers.iter().filter_map(|(name, value)| {
        Some((
            HeaderName::try_from(name).ok()?,
            HeaderValue::try_from(value).ok()?,
        ))
    });
    *response.headers_mut() = parsed.collect::<HeaderMap>();
    response
}
