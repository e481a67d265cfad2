//! Keys and cultures. The bytes are looked at twice: as three lines (partition key, sort key, culture), and as the raw material of ids
//! that are valid from the start.
#![no_main]

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use taxonomy_keys::{CategoryId, Culture, ItemKey, Month, TenantId, TermId, Version};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.split('\n');
    let mut line = || lines.next().unwrap_or_default();
    any_key(line(), line());
    any_culture(line());
    if let Ok(item) = valid_key(&mut Unstructured::new(bytes)) {
        let key = item.key();
        assert_eq!(ItemKey::parse(&key.pk, &key.sk), Ok(item));
    }
});

fn any_key(pk: &str, sk: &str) {
    if let Ok(item) = ItemKey::parse(pk, sk) {
        let key = item.key();
        assert_eq!((key.pk.as_str(), key.sk.as_str()), (pk, sk));
    }
}

fn any_culture(tag: &str) {
    let Ok(culture) = tag.parse::<Culture>() else {
        return;
    };
    assert_eq!(
        culture.as_str().parse(),
        Ok(culture.clone()),
        "canonical once is canonical"
    );
    for spelling in [tag.to_ascii_lowercase(), tag.to_ascii_uppercase()] {
        assert_eq!(
            spelling.parse(),
            Ok(culture.clone()),
            "{tag}: case does not matter"
        );
    }
    let chain = [culture.clone()];
    let order = taxonomy_keys::fallback(&culture, &chain, &chain, &culture);
    assert_eq!(order, chain);
}

fn valid_key(raw: &mut Unstructured<'_>) -> Result<ItemKey> {
    let tenant = tenant(raw)?;
    let term = TermId::new(raw.int_in_range(0..=TermId::MAX.get())?).expect("in range");
    let category = CategoryId::new(raw.int_in_range(0..=CategoryId::MAX.get())?).expect("in range");
    let version = Version::new(raw.int_in_range(1..=Version::MAX.get())?).expect("in range");
    Ok(match raw.int_in_range(0..=10)? {
        0 => ItemKey::Category { tenant, category },
        1 => ItemKey::Term { tenant, term },
        2 => ItemKey::TermCulture {
            tenant,
            term,
            culture: culture(raw)?,
        },
        3 => ItemKey::Tenant { tenant },
        4 => ItemKey::Head { tenant },
        5 => ItemKey::Changeset { tenant, version },
        6 => ItemKey::Audit { tenant },
        7 => ItemKey::TenantStats { tenant },
        8 => ItemKey::CategoryStats { tenant, category },
        9 => {
            let month = Month::new(raw.int_in_range(1970..=9999)?, raw.int_in_range(1..=12)?);
            ItemKey::MonthActivity {
                tenant,
                month: month.expect("in range"),
            }
        }
        _ => ItemKey::Counted { tenant, version },
    })
}

fn tenant(raw: &mut Unstructured<'_>) -> Result<TenantId> {
    const ALLOWED: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~-";
    let mut text = char::from(*raw.choose(&ALLOWED[..62])?).to_string();
    for _ in 0..raw.int_in_range(0..=63)? {
        text.push(char::from(*raw.choose(ALLOWED)?));
    }
    Ok(text.parse().expect("a tenant"))
}

fn culture(raw: &mut Unstructured<'_>) -> Result<Culture> {
    let parts = [
        *raw.choose(&["en", "zh", "sr", "haw", "i", "x", "sl"])?,
        *raw.choose(&["", "-Hant", "-latn", "-klingon", "-a"])?,
        *raw.choose(&["", "-GB", "-tw", "-419", "-rozaj-biske"])?,
        *raw.choose(&["", "-u-co-phonebk", "-x-a-1", "-1994"])?,
    ];
    Ok(parts
        .concat()
        .parse()
        .unwrap_or("en-GB".parse().expect("a culture")))
}
