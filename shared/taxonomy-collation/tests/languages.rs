//! The order of names in each language, as its dictionaries and telephone books have it. Written by hand, from the alphabets of the languages.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use taxonomy_collation::Collation;

/// A culture on each line, and names in its order.
const ORDERS: &str = "
// Accents and case decide only where the letters are the same; numbers are numbers.
en-GB: Äpfel, apple, Apple, Banana, co-op, coop, résumé, Zoo
en: Fig 1, Fig 2, Fig 9, Fig 9a 2, Fig 9a 11, Fig 10
x-none: 10, Éclair, Zoo
pt-BR: abóbora, água, avó, avô, azul
it-IT: casa, città, è, età, università
nl-NL: één, eend, ijs, jas, zee
ca: àvia, ça, col·lapse, dona
ga: áit, bád, éan, fear, úll
// French: the first difference of the accents decides, in Canada the last one.
fr-FR: Agriculture, Édition, Éducation, Œnologie, Zoologie
fr-FR: cote, coté, côte, côté
fr-CA: cote, côte, coté, côté
// German: an umlaut as its vowel, ß as ss.
de-DE: Apfel, Äpfel, Birne, Obst, Öl, Ostern, Strasse, Straße, Zug
de-AT: Apfel, Äpfel, Birne, Obst, Öl, Ostern, Zug
de-CH: Apfel, Äpfel, Birne, Obst, Öl, Ostern, Zug
// The Nordic letters are at the end of the alphabet; w is v in none of them any more.
sv-SE: Apelsin, Banan, d, Mango, Zon, Ål, Ärta, Örter, övrigt
sv-FI: Zon, Ål, Ärta, Örter
da-DK: Banan, Zebra, Æble, Øl, Aabenraa, Ål
nb-NO: Banan, Zebra, Ære, Øl, Ål
no: Banan, Zebra, Ære, Øl, Ål
nn: Banan, Zebra, Ære, Øl, Ål
fi-FI: Auto, Vene, Wok, Zorro, Åland, Äiti, Öljy
is-IS: api, átt, bær, dagur, ðorri, egg, þak, æði, öl
fo: dagur, egg, zoo, ærligur, øl
// Spanish: ñ is a letter, ch and ll are none since 1994.
es-ES: chico, cobre, llama, luz, nube, ñandú, oso
es-MX: nube, ñandú, oso
gl: nube, ñu, oso
// Digraphs and letters with a hook that are letters; in Lithuanian y is an i.
cs-CZ: cena, čaj, dům, had, chata, ibis, řeka, sůl, šaty, zima, žena
sk-SK: cena, čaj, had, chata, ibis, ocot, ôsmy, ryba, sila, šaty
pl-PL: ara, ąka, bar, cena, ćma, lampa, łapa, mapa, sok, śliwa, zima, źrebak, żaba
hr-HR: car, čaj, ćup, dan, džep, đak, luk, ljeto, more, noga, njiva, zima, žaba
bs-BA: car, čaj, ćup, dan, džep, đak
sr-Latn: car, čaj, ćup, dan, džep, đak, luk, ljeto, more
sl-SI: cesta, čaj, dom, sol, šola, zima, žaba
hu-HU: cukor, csak, dal, gyár, olaj, öröm, szó, tej, tyúk, zene, zsák
sq-AL: cak, çaj, dem, dhe, ec, ëndër, ylli, zog, zheg
cy-GB: cath, chwarae, dydd, ddoe, lamp, llaeth
ro-RO: an, ăla, âna, bar, in, însă, jar, sac, șa, tac, țap
eo: cepo, ĉevalo, sako, ŝako
mt-MT: ċavetta, dar, furnar, ġardina, gallina, għasel, ħobż, id, żarbun
lt-LT: yla, ilgas, imti, jau, saulė, šuo, zuikis, žirgas
lv-LV: cena, čakls, galds, ģimene, kaza, ķirsis, lampa, ļoti, zeme, žurka
// Estonian: z is after s, and õ ä ö ü end the alphabet.
et-EE: sõna, šokk, zebra, žanr, tee, vesi, õun, äri, öö, üks
// Turkish: a dotless i before the dotted one, ç ğ ö ş ü as letters.
tr-TR: cam, çay, gaz, ğ, hal, ısı, iki, oda, öğle, su, şeker, uçak, ün, yol
az-AZ: cam, çay, ev, ər, gül, xəbər, ısı, iki, qaz, oda, ölçü
vi-VN: dao, đào, em, ông, ơn, ung, ưng
// Other scripts before Latin.
ru-RU: дом, ёж, ель, жук, Zoo
uk-UA: гора, ґанок, дім, ера, єва, жук, иній, імла, їжак, йод, Zoo
bg-BG: баба, вода, ябълка, Zoo
be-BY: ель, ёлка, жук, ікона
sr-RS: дан, ђак, ево, јак, кап, лук, љето, ћуп, џеп
mk-MK: г, д, ѓ, е, з, ѕ, и, ј, л, љ, н, њ, т, ќ, у, ч, џ, ш
el-GR: άλφα, Βήτα, γάμμα, Zoo
he-IL: אבא, בית, גן, שלום, תות, Zoo
ar-EG: أب, باب, تاج, جبل, ياسمين, Zoo
fa-IR: آب, بابا, پدر, چای, ژاله, گل, Zoo
hi-IN: अनार, आम, कमल, खग, Zoo
// Thai: a vowel that is written before its consonant counts after it.
th-TH: กา, เก, ขา, เข, คน, Zoo
ka-GE: ანა, ბაბა, გული, Zoo
hy-AM: արև, բառ, գիրք, Zoo
// Japanese: kana by the fifty sounds, hiragana and katakana alike, after Latin and before kanji.
ja-JP: Zoo, アメリカ, いぬ, ウール, かき, がき, さくら, ん, 亜鉛, 医師
ko-KR: 가방, 나무, 다리, 사과, 하늘, Zoo
// Chinese: by pinyin, where it is written in traditional characters by the number of strokes.
zh-CN: 北京, 广州, 上海, 天津, 中国, Zoo
zh: 北京, 广州, 上海, 天津
zh-Hans-SG: 北京, 广州, 上海, 天津
zh-TW: 一, 三, 中, 北, Zoo
yue: 一, 三, 中, 北
";

/// Each culture, its collation and its names.
fn orders() -> impl Iterator<Item = (&'static str, Collation, Vec<&'static str>)> {
    let lines = ORDERS.lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.map(|line| {
        let (culture, names) = line.split_once(": ").unwrap();
        (culture, collation(culture), names.split(", ").collect())
    })
}

fn collation(culture: &str) -> Collation {
    Collation::of_culture(&culture.parse().unwrap())
}

#[test]
fn names_have_the_order_of_their_language() {
    let mut wrong = Vec::new();
    for (culture, collation, names) in orders() {
        for pair in names.windows(2) {
            if collation.key(pair[0]) >= collation.key(pair[1]) {
                wrong.push(format!("{culture}: {} before {}", pair[0], pair[1]));
            }
        }
    }
    assert_eq!((orders().count(), wrong), (66, vec![]));
}

/// No culture has accents after Z but those of letters that its alphabet ends with.
#[test]
fn accents_are_not_after_z_in_a_language_that_has_them_not() {
    for culture in "en de-DE fr-FR es-ES ja-JP ru-RU zh-CN x-none und sw".split(' ') {
        let collation = collation(culture);
        for name in ["Ål", "Éclair", "Ïle", "Öl", "Über", "Ærø", "Øl", "Çelik"] {
            assert!(collation.key(name) < collation.key("Zoo"), "{culture}: {name}");
        }
    }
}
