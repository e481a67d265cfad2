//! The SDK's end of a transport.

use std::sync::Arc;

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;

use super::Transport;
use super::call::Call;
use super::service::Service;

#[derive(Debug)]
struct Connector {
    transport: Transport,
    service: Arc<dyn Service>,
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (transport, service) = (self.transport.clone(), Arc::clone(&self.service));
        HttpConnectorFuture::new(async move {
            let call = Call::read(request).await?;
            // A request over a network lets other tasks run; one that is answered at once would hide races.
            tokio::task::yield_now().await;
            let reply = transport.exchange(service, call).await;
            tokio::task::yield_now().await;
            reply
        })
    }
}

#[derive(Debug)]
struct Client(SharedHttpConnector);

impl HttpClient for Client {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        self.0.clone()
    }
}

impl Transport {
    pub(crate) fn http_client(&self, service: Arc<dyn Service>) -> SharedHttpClient {
        let transport = self.clone();
        let connector = Connector { transport, service };
        SharedHttpClient::new(Client(SharedHttpConnector::new(connector)))
    }
}
