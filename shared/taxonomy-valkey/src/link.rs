//! The one connection. The library wants a task of its own to drive it; here whoever waits for an answer drives it meanwhile, and
//! nothing runs between requests that a frozen Lambda would thaw in the middle of.

use std::sync::Arc;

use futures_util::future::{Either, select};
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::{AsyncConnectionConfig, Pipeline, RedisConnectionInfo, Value};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::address::Address;
use crate::config::Secret;
use crate::error::ValkeyError;
use crate::tls::Tls;
use crate::together::Together;

/// A connection that is being made, by all that wait for it together.
pub(crate) type Opening = Together<Result<Link, ValkeyError>>;

/// Where to connect to, and as whom.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) address: Address,
    pub(crate) tls: Option<Tls>,
    pub(crate) password: Option<Secret>,
}

impl Place {
    /// Begins to connect; nothing happens before it is awaited, and it may be awaited in several goes.
    pub(crate) fn open(self: &Arc<Self>) -> Opening {
        let place = Arc::clone(self);
        Together::new(async move { place.connect().await })
    }

    async fn connect(&self) -> Result<Link, ValkeyError> {
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

    async fn introduce<S>(&self, stream: S) -> Result<Link, ValkeyError>
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
        // The request's own time-out counts, and it is around all of it.
        let patience = AsyncConnectionConfig::new().set_response_timeout(None);
        let (connection, driver) = MultiplexedConnection::new_with_config(&who, stream, patience).await?;
        Ok(Link {
            connection,
            driver: Together::new(driver),
        })
    }
}

/// A connection that was made.
#[derive(Clone)]
pub(crate) struct Link {
    connection: MultiplexedConnection,
    driver: Together<()>,
}

impl Link {
    /// Whether the other side has not hung up, as far as is known here; while a Lambda was frozen it may have.
    pub(crate) async fn is_alive(&self) -> bool {
        // Has the runtime look at the socket first.
        tokio::task::yield_now().await;
        self.driver.look().is_none()
    }

    /// Sends commands together and waits for all of their answers, errors among them.
    pub(crate) async fn ask(&self, commands: &Pipeline) -> Result<Vec<Value>, ValkeyError> {
        let mut connection = self.connection.clone();
        let answers = connection.req_packed_commands(commands, 0, commands.len());
        let answers = match select(answers, self.driver.clone()).await {
            Either::Left((answers, _)) => answers,
            // The connection is gone, and with it whatever was waited for: this does not wait any more.
            Either::Right(((), answers)) => answers.await,
        };
        Ok(answers?)
    }
}
