//! Gives `icu_collator` the data of one collation, whatever locale it asks for.

use icu_collator::provider::{
    CollationDiacriticsV1, CollationJamoV1, CollationMetadataV1, CollationReorderingV1, CollationRootV1,
    CollationSpecialPrimariesV1, CollationTailoringV1,
};
use icu_normalizer::provider::{Baked, NormalizerNfdDataV1, NormalizerNfdTablesV1};
use icu_provider::prelude::{
    DataError, DataErrorKind, DataMarker, DataPayload, DataProvider, DataRequest, DataResponse,
};

use crate::data::{Data, Tailoring};

pub(crate) struct Provider {
    data: &'static Data,
    tailoring: &'static Tailoring,
}

impl Provider {
    pub(crate) fn new(data: &'static Data, tailoring: &'static Tailoring) -> Self {
        Self { data, tailoring }
    }
}

type Loaded<M> = Result<DataResponse<M>, DataError>;

fn loaded<M: DataMarker>(data: Option<&'static M::DataStruct>) -> Loaded<M> {
    let data = data.ok_or_else(|| DataErrorKind::IdentifierNotFound.with_marker(M::INFO))?;
    Ok(DataResponse {
        metadata: icu_provider::DataResponseMetadata::default(),
        payload: DataPayload::from_static_ref(data),
    })
}

impl DataProvider<CollationRootV1> for Provider {
    fn load(&self, _: DataRequest<'_>) -> Loaded<CollationRootV1> {
        loaded(Some(&self.data.root))
    }
}

impl DataProvider<CollationJamoV1> for Provider {
    fn load(&self, _: DataRequest<'_>) -> Loaded<CollationJamoV1> {
        loaded(Some(&self.data.jamo))
    }
}

impl DataProvider<CollationSpecialPrimariesV1> for Provider {
    fn load(&self, _: DataRequest<'_>) -> Loaded<CollationSpecialPrimariesV1> {
        loaded(Some(&self.data.special_primaries))
    }
}

impl DataProvider<CollationMetadataV1> for Provider {
    fn load(&self, _: DataRequest<'_>) -> Loaded<CollationMetadataV1> {
        loaded(Some(&self.tailoring.metadata))
    }
}

impl DataProvider<CollationTailoringV1> for Provider {
    fn load(&self, _: DataRequest<'_>) -> Loaded<CollationTailoringV1> {
        loaded(self.tailoring.data.as_ref())
    }
}

impl DataProvider<CollationDiacriticsV1> for Provider {
    fn load(&self, _: DataRequest<'_>) -> Loaded<CollationDiacriticsV1> {
        let own = self.tailoring.diacritics.as_ref();
        loaded(own.or(Some(&self.data.root_diacritics)))
    }
}

impl DataProvider<CollationReorderingV1> for Provider {
    fn load(&self, _: DataRequest<'_>) -> Loaded<CollationReorderingV1> {
        loaded(self.tailoring.reordering.as_ref())
    }
}

impl DataProvider<NormalizerNfdDataV1> for Provider {
    fn load(&self, request: DataRequest<'_>) -> Loaded<NormalizerNfdDataV1> {
        Baked.load(request)
    }
}

impl DataProvider<NormalizerNfdTablesV1> for Provider {
    fn load(&self, request: DataRequest<'_>) -> Loaded<NormalizerNfdTablesV1> {
        Baked.load(request)
    }
}
