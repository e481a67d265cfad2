//! The connection to the server.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::{AsyncConnectionConfig, Pipeline, RedisConnectionInfo, Value};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::address::Address;
use crate::config::Secret;
use crate::error::ValkeyError;
use crate::tls::Tls;

/// A connection that is being opened, shared by all requests that wait for it.
pub(crate) type Opening = Shared<BoxFuture<'static, Result<Connection, ValkeyError>>>;

/// The server and the credentials.
pub(crate) struct Endpoint {
    pub(crate) address: Address,
    pub(crate) tls: Option<Tls>,
    pub(crate) password: Option<Secret>,
}

impl Endpoint {
    /// Begins to connect. Nothing happens before it is awaited, and it may be awaited in several parts.
    pub(crate) fn open(self: &Arc<Self>) -> Opening {
        let endpoint = Arc::clone(self);
        async move { endpoint.connect().await }.boxed().shared()
    }

    async fn connect(&self) -> Result<Connection, ValkeyError> {
        let Address { host, port, .. } = &self.address;
        let tcp = TcpStream::connect((host.as_str(), *port)).await?;
        tcp.set_nodelay(true)?;
        match &self.tls {
            None => self.introduce(tcp).await,
            Some(Tls { connector, name }) => {
                let encrypted = connector.connect(name.clone(), tcp).await?;
                self.introduce(encrypted).await
            }
        }
    }

    async fn introduce<S>(&self, stream: S) -> Result<Connection, ValkeyError>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let mut who = RedisConnectionInfo::default().set_skip_set_lib_name();
        if let Some(user) = &self.address.user {
            who = who.set_username(user);
        }
        if let Some(password) = &self.password {
            who = who.set_password(password.reveal());
        }
        // The time-out of the request applies to all of it.
        let patience = AsyncConnectionConfig::new().set_response_timeout(None);
        let (connection, driver) = MultiplexedConnection::new_with_config(&who, stream, patience).await?;
        let mut driving = JoinSet::new();
        driving.spawn(driver);
        Ok(Connection {
            connection,
            _driving: Arc::new(driving),
        })
    }
}

/// An open connection.
#[derive(Clone)]
pub(crate) struct Connection {
    connection: MultiplexedConnection,
    /// The task that sends and receives. It waits between requests, and ends with the last clone of the connection.
    _driving: Arc<JoinSet<()>>,
}

impl Connection {
    /// Sends commands together and waits for all responses, errors included.
    pub(crate) async fn ask(&self, commands: &Pipeline) -> Result<Vec<Value>, ValkeyError> {
        let mut connection = self.connection.clone();
        let answers = connection.req_packed_commands(commands, 0, commands.len());
        Ok(answers.await?)
    }
}
