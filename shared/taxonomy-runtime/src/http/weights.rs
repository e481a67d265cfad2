//! Lists with weights, as `Accept-Encoding` and `Accept-Language` have them (RFC 9110, section 12.4.2).

/// The longest header that is parsed. Longer ones, which no browser sends, are ignored, as RFC 9110 allows for both headers.
const MAX_HEADER: usize = 512;

/// A weight in thousandths; 0 refuses the element.
pub type Weight = u16;

/// The weight of an element without one.
pub(crate) const FULL: Weight = 1000;

/// Returns the elements of a header with their weights, in their order. `None` for a header that is too long or has a malformed weight.
pub fn elements(header: &str) -> Option<Vec<(&str, Weight)>> {
    if header.len() > MAX_HEADER {
        return None;
    }
    let elements = header.split(',').map(trim).filter(|element| !element.is_empty());
    elements.map(element).collect()
}

fn element(text: &str) -> Option<(&str, Weight)> {
    match text.split_once(';') {
        None => Some((text, FULL)),
        Some((name, parameter)) => {
            let (key, value) = trim(parameter).split_once('=')?;
            let weight = key.eq_ignore_ascii_case("q").then(|| weight(value))??;
            Some((trim(name), weight))
        }
    }
}

/// A `qvalue`: 0 to 1 with at most three decimals.
fn weight(text: &str) -> Option<Weight> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_number = decimals.len() <= 3 && decimals.bytes().all(|byte| byte.is_ascii_digit());
    let whole: Weight = match whole {
        "0" => 0,
        "1" => FULL,
        _ => return None,
    };
    let decimals: Weight = is_number.then(|| format!("{decimals:0<3}").parse().ok())??;
    (whole + decimals <= FULL).then_some(whole + decimals)
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_has_a_weight_or_counts_fully() {
        let header = "br, gzip;q=0.5 ,identity ; Q=0.125,,*;q=0,a;q=1.000,b;q=1.,c;q=0.";
        let (first, last) = (
            [("br", 1000), ("gzip", 500), ("identity", 125)],
            [("b", 1000), ("c", 0)],
        );
        let expect = [&first[..], &[("*", 0), ("a", 1000)], &last].concat();
        assert_eq!(elements(header).unwrap(), expect);
        assert_eq!(elements("").unwrap(), []);
    }

    #[test]
    fn a_header_with_a_malformed_weight_or_too_long_is_none() {
        for weight in ["2", "1.1", "0.1234", "-1", "", ".5", "0.x", "1.0001", "+1"] {
            assert_eq!(elements(&format!("br, gzip;q={weight}")), None, "{weight}");
        }
        for header in ["gzip;level=1", "gzip;q", "gzip;q=1;q=1", "gzip;;q=1"] {
            assert_eq!(elements(header), None, "{header}");
        }
        let longest = "x".repeat(MAX_HEADER);
        assert_eq!(elements(&longest).unwrap().len(), 1);
        assert_eq!(elements(&format!("{longest},")), None);
    }
}
