//! Everyday spellings of names, in many languages.

use taxonomy_index::search::{Kind, Match, SearchOptions};

use crate::object::{Object, OwnEntry, write_in};

/// An object of names, with the class of each hit of a query.
struct Names(Object);

impl Names {
    fn of(language: &str, names: &[&str]) -> Self {
        let entry = |(ordinal, name): (u32, &&str)| OwnEntry::new(ordinal, name);
        let entries: Vec<OwnEntry> = (0..).zip(names).map(entry).collect();
        Self(Object::open(write_in(language, &entries)).unwrap())
    }

    fn hits(&self, query: &str) -> Vec<(String, Match)> {
        let answer = self.0.search(query, &SearchOptions::new(50).unwrap());
        answer
            .hits
            .into_iter()
            .map(|hit| (hit.name, hit.matched))
            .collect()
    }

    /// Checks the first hit of each query.
    #[track_caller]
    fn first(&self, cases: &[(&str, &str, Match)]) {
        for (query, name, class) in cases {
            let hits = self.hits(query);
            assert_eq!(
                hits.first(),
                Some(&((*name).to_owned(), *class)),
                "{query}: {hits:?}"
            );
        }
    }
}

const SKILLS: [&str; 16] = [
    "C",
    "C#",
    "C++",
    "F#",
    ".NET",
    "ASP.NET",
    "Node.js",
    "Node.js developer",
    "R",
    "R&D manager",
    "Head of R&D",
    "SAP R/3",
    "A/B testing",
    "Cat care",
    "Red dress",
    "Network engineer",
];

#[test]
fn signs_distinguish_names() {
    let names = Names::of("en", &SKILLS);
    names.first(&[
        ("c", "C", Match::Whole),
        ("C#", "C#", Match::Whole),
        ("c++", "C++", Match::Whole),
        ("F#", "F#", Match::Whole),
        (".net", ".NET", Match::Whole),
        ("net", ".NET", Match::Folded),
        ("asp.net", "ASP.NET", Match::Whole),
        ("aspnet", "ASP.NET", Match::Folded),
        ("node.js", "Node.js", Match::Whole),
        ("nodejs", "Node.js", Match::Folded),
        ("node js", "Node.js", Match::Folded),
        ("nodejs dev", "Node.js developer", Match::Word),
        ("r", "R", Match::Whole),
        ("r & d manager", "R&D manager", Match::Folded),
        ("r&d", "R&D manager", Match::Start),
        ("head r&d", "Head of R&D", Match::Word),
        ("sap r3", "SAP R/3", Match::Folded),
        ("a/b", "A/B testing", Match::Start),
        ("ab test", "A/B testing", Match::Word),
    ]);
    let found = |query: &str| {
        names
            .hits(query)
            .into_iter()
            .map(|(name, _)| name)
            .collect::<Vec<_>>()
    };
    assert_eq!(found("c++"), ["C++", "C", "C#"], "a sign ends a word");
    assert_eq!(found("c"), ["C", "C#", "C++", "Cat care"]);
    assert_eq!(
        found("r&d"),
        ["R&D manager", "Head of R&D", "Red dress"],
        "joined first"
    );
}

#[test]
fn signs_that_touch_no_letter_are_words() {
    let names = Names::of(
        "en",
        &["😀 smiley", "$ handling", "Smiley", "Handling", "$100 notes"],
    );
    names.first(&[
        ("😀", "😀 smiley", Match::Start),
        ("$", "$ handling", Match::Start),
        ("smiley", "Smiley", Match::Whole),
        ("$100", "$100 notes", Match::Start),
        ("100 notes", "$100 notes", Match::Folded),
    ]);
    assert!(names.hits("---").is_empty());
}

#[test]
fn joined_and_split_spellings_meet() {
    let names = Names::of(
        "en",
        &[
            "T-shirt",
            "Wi-Fi technician",
            "E-commerce",
            "Women's shoes",
            "Healthcare",
            "Wifi router",
            "State-of-the-art",
            "Red shirt",
        ],
    );
    names.first(&[
        ("tshirt", "T-shirt", Match::Folded),
        ("t shirt", "T-shirt", Match::Folded),
        ("T–Shirt", "T-shirt", Match::Whole),
        ("wifi", "Wifi router", Match::Start),
        ("wifi technician", "Wi-Fi technician", Match::Folded),
        ("wi fi", "Wi-Fi technician", Match::Start),
        ("wi-fi rout", "Wifi router", Match::Word),
        ("wi fi rout", "Wifi router", Match::Word),
        ("ecommerce", "E-commerce", Match::Folded),
        ("womens shoe", "Women's shoes", Match::Word),
        ("women’s shoes", "Women's shoes", Match::Whole),
        ("health care", "Healthcare", Match::Folded),
        ("stateoftheart", "State-of-the-art", Match::Folded),
        ("state of the art", "State-of-the-art", Match::Folded),
    ]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "one row a case")]
fn the_word_for_and_does_not_count_between_two_others() {
    for (language, name, queries) in [
        (
            "en",
            "Toys & Games",
            ["toys and games", "Toys&Games", "toys games"],
        ),
        (
            "de",
            "Spielzeug & Spiele",
            ["spielzeug und spiele", "Spielzeug + Spiele", "spielzeug und spi"],
        ),
        (
            "fr",
            "Jeux & jouets",
            ["jeux et jouets", "jeux jouets", "jeux et jou"],
        ),
        (
            "es",
            "Padres e hijos",
            ["padres y hijos", "padres & hijos", "padres e hij"],
        ),
        (
            "it",
            "Casa e giardino",
            ["casa & giardino", "casa giardino", "casa e giard"],
        ),
        (
            "pt",
            "Casa & jardim",
            ["casa e jardim", "casa jardim", "casa e jar"],
        ),
        (
            "nl",
            "Eten & drinken",
            ["eten en drinken", "eten drinken", "eten en dri"],
        ),
        ("sv", "Mat & dryck", ["mat och dryck", "mat dryck", "mat och dr"]),
        ("da", "Mad og drikke", ["mad & drikke", "mad drikke", "mad & dr"]),
        ("nb", "Mat og drikke", ["mat & drikke", "mat drikke", "mat & dr"]),
        (
            "fi",
            "Ruoka & juoma",
            ["ruoka ja juoma", "ruoka juoma", "ruoka ja juo"],
        ),
        ("pl", "Dom i ogród", ["dom & ogrod", "dom ogród", "dom i ogr"]),
        (
            "cs",
            "Dům & zahrada",
            ["dum a zahrada", "dům zahrada", "dum a zah"],
        ),
        ("hu", "Ház és kert", ["haz & kert", "ház kert", "ház & ke"]),
        (
            "ro",
            "Casă și grădină",
            ["casa si gradina", "casă & grădină", "casa si gra"],
        ),
        ("tr", "Ev ve bahçe", ["ev & bahçe", "ev bahce", "ev & bah"]),
        ("ru", "Дом и сад", ["дом & сад", "дом сад", "дом и са"]),
        ("uk", "Дім та сад", ["дім і сад", "дім & сад", "дім та са"]),
        (
            "el",
            "Σπίτι και κήπος",
            ["σπιτι & κηπος", "σπίτι κήπος", "σπιτι και κη"],
        ),
        (
            "ar",
            "الألعاب و الدمى",
            ["الألعاب & الدمى", "الالعاب و الدمى", "الألعاب و الد"],
        ),
        ("hi", "खिलौने और खेल", ["खिलौने & खेल", "खिलौने खेल", "खिलौने और खे"]),
        ("vi", "Nhà & vườn", ["nhà và vườn", "nha va vuon", "nha va vu"]),
        (
            "id",
            "Rumah & taman",
            ["rumah dan taman", "rumah taman", "rumah dan tam"],
        ),
        (
            "ko",
            "장난감 및 게임",
            ["장난감 & 게임", "장난감 게임", "장난감 및 게"],
        ),
        ("zh", "玩具和游戏", ["玩具与游戏", "玩具&游戏", "玩具 游戏"]),
        (
            "ja",
            "玩具とゲーム",
            ["玩具＆ゲーム", "玩具 ゲーム", "玩具・ゲーム"],
        ),
        (
            "th",
            "ของเล่นและเกม",
            ["ของเล่น & เกม", "ของเล่น เกม", "ของเล่นและเก"],
        ),
    ] {
        let names = Names::of(language, &[name, "Other"]);
        for query in queries {
            let class = names
                .hits(query)
                .first()
                .map(|(found, class)| (found == name, *class));
            assert!(
                class.is_some_and(|(is_name, class)| is_name && class <= Match::Start),
                "{language} {query}: {class:?}"
            );
        }
    }
    let names = Names::of("cs", &["Vitamín A", "Vitamín", "A"]);
    names.first(&[
        ("vitamin a", "Vitamín A", Match::Folded),
        ("a", "A", Match::Whole),
    ]);
    let names = Names::of("zh", &["和服", "服装"]);
    assert_eq!(names.hits("和服").len(), 1, "a word that begins with the sign");
}

#[test]
#[expect(clippy::too_many_lines, reason = "one row a case")]
fn plurals_meet() {
    for (language, pairs) in [
        (
            "en",
            &[
                ("Cat", "cats"),
                ("Pens", "pen"),
                ("Job", "jobs"),
                ("Ponies", "pony"),
                ("Box", "boxes"),
                ("Salesman", "salesmen"),
                ("Shelf", "shelves"),
            ][..],
        ),
        ("fr", &[("Jeu", "jeux"), ("Cheval", "chevaux"), ("Robes", "robe")]),
        ("es", &[("Luz", "luces"), ("Flores", "flor"), ("Casa", "casas")]),
        (
            "pt",
            &[("Avião", "aviões"), ("Hotel", "hotéis"), ("Jardim", "jardins")],
        ),
        ("it", &[("Gatto", "gatti"), ("Cani", "cane"), ("Banco", "banchi")]),
        (
            "de",
            &[
                ("Buch", "Bücher"),
                ("Häuser", "Haus"),
                ("Lehrerin", "Lehrerinnen"),
                ("Jacken", "Jacke"),
                ("Versicherung", "Versicherungen"),
            ],
        ),
        ("nl", &[("Boom", "bomen"), ("Katten", "kat"), ("Hobby", "hobbys")]),
        (
            "sv",
            &[("Flicka", "flickor"), ("Bilar", "bil"), ("Kakor", "kaka")],
        ),
        ("da", &[("Bil", "biler"), ("Heste", "hest")]),
        ("nb", &[("Bil", "biler"), ("Bøker", "bøk")]),
        ("fi", &[("Kissa", "kissat"), ("Hevoset", "hevonen")]),
        ("pl", &[("Zabawka", "zabawki"), ("Koty", "kot")]),
        ("cs", &[("Hračka", "hračky"), ("Knihy", "kniha")]),
        ("ru", &[("Игрушка", "игрушки"), ("Книги", "книга")]),
        ("uk", &[("Книга", "книги")]),
        ("el", &[("Δρόμος", "δρόμοι"), ("Θάλασσα", "θάλασσες")]),
        ("tr", &[("Kitap", "kitaplar"), ("Evler", "ev")]),
        ("hu", &[("Kutya", "kutyák")]),
        ("he", &[("ספר", "ספרים")]),
        ("ko", &[("고양이", "고양이들")]),
    ] {
        for (name, query) in pairs {
            let names = Names::of(language, &[name, "Xyz", "Big other thing"]);
            let hits = names.hits(query);
            assert_eq!(
                hits.first().map(|(found, _)| found.as_str()),
                Some(*name),
                "{language} {query}"
            );
            assert!(hits[0].1 <= Match::Word, "{language} {query}: {hits:?}");
        }
    }
    let names = Names::of("en", &["Cat food", "Cat", "Big cat", "Catalogue"]);
    let found: Vec<String> = names.hits("cats").into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        found,
        ["Cat", "Big cat", "Cat food"],
        "a name of no other word first"
    );
    assert!(
        Names::of("en", &["TV set"]).hits("tvs").is_empty(),
        "a word of two letters has no plural"
    );
    let typo = ("Cat".to_owned(), Match::Typo);
    assert_eq!(
        Names::of("zh", &["Cat"]).hits("cats"),
        [typo],
        "a language without the rule"
    );
}

#[test]
fn a_long_query_is_answered() {
    let esco = "export specialist in hides, skins, furs and finished leather goods";
    let french = "chargé d’affaires de l’import et de l’export de cuirs et peaux";
    let skills = "C/C++/C# (.NET), T-SQL & e-commerce R&D";
    let names = Names::of(
        "en",
        &[
            esco,
            french,
            skills,
            "Department of Health, Education and Welfare of the State of New York",
        ],
    );
    names.first(&[
        (esco, esco, Match::Whole),
        (
            "Export specialist in hides skins furs and finished leather goods",
            esco,
            Match::Folded,
        ),
        (
            "chargé d'affaires de l'import et de l'export de cuirs et peaux",
            french,
            Match::Whole,
        ),
        (
            "charge d affaires de l import et de l export de cuirs",
            french,
            Match::Start,
        ),
        (skills, skills, Match::Whole),
        (
            "goods of finished leather, furs, skins and hides: specialist for export to me",
            esco,
            Match::Word,
        ),
    ]);
    assert!(names.hits(&"zq ".repeat(160)).is_empty());
    let two = [
        "alpha bravo charlie delta echos foxtrot golfs hotel red",
        "alpha bravo charlie delta echos foxtrot golfs hotel blue",
    ];
    let names = Names::of("en", &two);
    let order = |query: &str| {
        names
            .hits(query)
            .into_iter()
            .map(|(name, _)| name == two[1])
            .collect::<Vec<_>>()
    };
    assert_eq!(
        order("hotel golfs foxtrot echos delta charlie bravo alpha blue"),
        [true, false],
        "a ninth word ranks"
    );
    assert_eq!(
        order("hotel golfs foxtrot echos delta charlie bravo alpha red"),
        [false, true]
    );
}

#[test]
fn a_code_is_found_in_any_spelling() {
    let entries = [
        OwnEntry::new(0, "SAP R/3").kind(Kind::Alternative),
        OwnEntry::new(1, "E11.9").kind(Kind::Notation),
    ];
    let object = Object::of(&entries);
    assert_eq!(object.names("e119"), ["E11.9"]);
    assert_eq!(object.names("E11"), ["E11.9"]);
    assert_eq!(object.names("sapr3"), ["SAP R/3"]);
}
