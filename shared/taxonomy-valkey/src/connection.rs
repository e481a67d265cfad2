//! The connection to the server. The library expects a task that drives it; here the request that waits for a response drives it, so that
//! no work runs between requests, when Lambda freezes the process.

use std::sync::Arc;

use futures_util::future::{Either, select};
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::{AsyncConnectionConfig, Pipeline, RedisConnectionInfo, Value};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::address::Address;
use crate::config::Secret;
use crate::error::ValkeyError;
use crate::shared_future::SharedFuture;
use crate::tls::Tls;

/// A connection that is being opened, shared by all requests that wait for it.
pub(crate) type Opening = SharedFuture<Result<Connection, ValkeyError>>;

/// The server and the credentials.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) address: Address,
    pub(crate) tls: Option<Tls>,
    pub(crate) password: Option<Secret>,
}

impl Place {
    /// Begins to connect. Nothing happens before it is awaited, and it may be awaited in several parts.
    pub(crate) fn open(self: &Arc<Self>) -> Opening {
        let place = Arc::clone(self);
        SharedFuture::new(async move { place.connect().await })
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
        Ok(Connection {
            connection,
            driver: SharedFuture::new(driver),
        })
    }
}

/// An open connection.
#[derive(Clone)]
pub(crate) struct Connection {
    connection: MultiplexedConnection,
    driver: SharedFuture<()>,
}

impl Connection {
    /// Whether the server has not closed the connection, as far as this process has seen; it may have while Lambda had frozen the process.
    pub(crate) async fn is_alive(&self) -> bool {
        // Makes the runtime poll the socket first.
        tokio::task::yield_now().await;
        self.driver.look().is_none()
    }

    /// Sends commands together and waits for all responses, errors included.
    pub(crate) async fn ask(&self, commands: &Pipeline) -> Result<Vec<Value>, ValkeyError> {
        let mut connection = self.connection.clone();
        let answers = connection.req_packed_commands(commands, 0, commands.len());
        let answers = match select(answers, self.driver.clone()).await {
            Either::Left((answers, _)) => answers,
            // The connection is closed, and its pending responses are lost: this one stops waiting.
            Either::Right(((), answers)) => answers.await,
        };
        Ok(answers?)
    }
}
