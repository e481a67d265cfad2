//! What people type and what it finds, rule by rule and in many languages.

use taxonomy_index::search::{Kind, Match, SearchOptions};

use crate::object::{Object, OwnEntry, named, write_in};

fn object(language: &str, names: &[&str]) -> Object {
    Object::open(write_in(language, &named(names))).unwrap()
}

fn english(names: &[&str]) -> Object {
    object("en", names)
}

fn rows(table: &str) -> impl Iterator<Item = &str> {
    table.lines().map(str::trim).filter(|row| !row.is_empty())
}

/// Each query of a table, and what is expected of it.
fn queries(table: &str) -> impl Iterator<Item = (&str, &str)> {
    rows(table).map(|row| row.split_once(" => ").unwrap())
}

/// Checks the names that each query finds, in their order; none for a `-`.
#[track_caller]
fn finds(object: &Object, table: &str) {
    for (query, expect) in queries(table) {
        let names: Vec<&str> = expect.split(" | ").filter(|name| *name != "-").collect();
        assert_eq!(object.names(query), names, "{query}");
    }
}

/// Checks the first hit of each query, with its class.
#[track_caller]
fn first(object: &Object, table: &str) {
    for (query, expect) in queries(table) {
        let hits = object.search(query, &SearchOptions::new(50).unwrap()).hits;
        let first = hits
            .first()
            .map(|hit| format!("{} | {:?}", hit.name, hit.matched));
        assert_eq!(first.as_deref(), Some(expect), "{query}: {hits:?}");
    }
}

/// Each word is a prefix, a typo needs four letters or more and a right first letter.
#[test]
fn the_classes_come_in_their_order() {
    let names = [
        "Shoes for running",
        "Run",
        "Running shoes",
        "Marathon run",
        "Run club",
        "Brun",
    ];
    finds(
        &english(&names),
        "
        run => Run | Run club | Running shoes | Marathon run | Shoes for running
        shoes runn => Running shoes | Shoes for running
        run sho => Running shoes | Shoes for running
        runing => Running shoes | Shoes for running
        unning => -
        rux => -
        ",
    );
    first(&english(&names), "runx => Run | Typo");
}

#[test]
fn a_swap_is_one_typo_and_nine_letters_have_two() {
    let object = english(&["Diabetes mellitus"]);
    for query in "dibaetes,diabtees,diabets,mellitis,diabtes melitus,dibetes mellituss".split(',') {
        assert_eq!(object.names(query), ["Diabetes mellitus"], "{query}");
    }
    for query in ["dbites", "dibatse", "diabetes melxxtus"] {
        assert!(object.names(query).is_empty(), "{query}");
    }
}

/// No typo is forgiven in digits.
#[test]
fn a_notation_is_found_with_and_without_separators() {
    let notation = |entry: OwnEntry| entry.kind(Kind::Notation);
    let codes = named(&["E11.9", "E1190", "01 21-7"]).into_iter().map(notation);
    let mut entries: Vec<OwnEntry> = codes.collect();
    entries.push(OwnEntry::new(3, "SAP R/3").kind(Kind::Alternative));
    finds(
        &Object::of(&entries),
        "
        E11.9 => E11.9 | E1190
        E11 => E11.9 | E1190
        e119 => E11.9 | E1190
        e 11 9 => E11.9 | E1190
        012.17 => 01 21-7
        21 => 01 21-7
        e1180 => -
        sapr3 => SAP R/3
        ",
    );
}

/// Two letters have no marks.
#[test]
fn exact_accents_come_before_folded_ones() {
    finds(
        &english(&["Crème", "Creme", "Crèmerie fine"]),
        "
        creme => Creme | Crème | Crèmerie fine
        crème => Crème | Creme | Crèmerie fine
        crèm => Crème | Crèmerie fine | Creme
        cr => Crème | Creme | Crèmerie fine
        ",
    );
    let cakes = ["Big creme brulee", "Big crème brulee", "Big creme brûlée"];
    for names in [cakes, [cakes[1], cakes[2], cakes[0]]] {
        first(
            &english(&names),
            "
            creme brulee => Big creme brulee | Word
            crème brulee => Big crème brulee | Word
            creme brûlée => Big creme brûlée | Word
            brûlée creme => Big creme brûlée | Word
            ",
        );
    }
    finds(
        &english(&["Big Viet", "Big Việt"]),
        "
        viet => Big Viet | Big Việt
        vie\u{302}\u{323}t => Big Việt | Big Viet
        ",
    );
}

/// Of a word 32 letters are compared; a name may be longer than a query can be.
#[test]
fn long_words_and_names_are_found_by_their_beginning() {
    let long = "x".repeat(40);
    let object = english(&[&format!("a {long}"), &long]);
    let both = [long.clone(), format!("a {long}")];
    for query in [&format!("{}y", "x".repeat(32)), &long] {
        assert_eq!(object.names(query), both, "{query}");
    }
    first(&object, &format!("{long} => {long} | Whole"));
    let object = english(&["ab ".repeat(200).trim(), &"ﷺ".repeat(10), &"手".repeat(300)]);
    assert_eq!(object.names("ab ab ab").len(), 1);
    assert_eq!(object.names(&"手".repeat(199)).len(), 1);
}

#[test]
fn a_name_that_is_the_query_to_the_letter_comes_first() {
    let names = ["it", "It", "IT", "Chargé d’études", "Chargé d'études"];
    let object = english(&names);
    for name in names {
        first(&object, &format!("{name} => {name} | Whole"));
    }
}

/// A sign ends a word, and words that a sign joins come before others.
#[test]
fn signs_distinguish_names() {
    let skills = "C,C#,C++,F#,.NET,ASP.NET,Node.js,Node.js developer,R,R&D manager,Head of R&D,SAP R/3,A/B testing,\
        Cat care,Red dress,Network engineer";
    let object = english(&skills.split(',').collect::<Vec<&str>>());
    first(
        &object,
        "
        c => C | Whole
        C# => C# | Whole
        c++ => C++ | Whole
        F# => F# | Whole
        .net => .NET | Whole
        net => .NET | Folded
        asp.net => ASP.NET | Whole
        aspnet => ASP.NET | Folded
        node.js => Node.js | Whole
        nodejs => Node.js | Folded
        node js => Node.js | Folded
        nodejs dev => Node.js developer | Word
        r => R | Whole
        r & d manager => R&D manager | Folded
        r&d => R&D manager | Start
        head r&d => Head of R&D | Word
        sap r3 => SAP R/3 | Folded
        a/b => A/B testing | Start
        ab test => A/B testing | Word
        ",
    );
    finds(
        &object,
        "
        c++ => C++ | C | C#
        c => C | C# | C++ | Cat care
        r&d => R&D manager | Head of R&D | Red dress
        ",
    );
}

/// The point before a word is a sign of it, also where all else of a name is plain.
#[test]
fn names_with_the_point_of_the_query_come_first() {
    finds(
        &english(&["Netball", ".NET Core", "Play netball", "Core for .NET"]),
        "
        .net => .NET Core | Netball | Core for .NET | Play netball
        net => Netball | .NET Core | Play netball | Core for .NET
        ",
    );
}

#[test]
fn a_word_for_and_at_the_end_ranks_behind_a_single_word_too() {
    let object = english(&["Old trains", "Big trains and cars"]);
    finds(
        &object,
        "
        train and => Big trains and cars | Old trains
        trian and => Big trains and cars | Old trains
        ",
    );
}

/// A letter that folds to two has one surface, which ends with the sign.
#[test]
fn a_sign_ends_a_word_behind_a_letter_of_two() {
    finds(&english(&["Aeon", "Æ+"]), "æ+ => Æ+");
}

#[test]
fn signs_that_touch_no_letter_are_words() {
    let object = english(&["😀 smiley", "$ handling", "Smiley", "Handling", "$100 notes"]);
    first(
        &object,
        "
        😀 => 😀 smiley | Start
        $ => $ handling | Start
        smiley => Smiley | Whole
        $100 => $100 notes | Start
        100 notes => $100 notes | Folded
        ",
    );
    assert!(object.names("---").is_empty());
}

#[test]
fn joined_and_split_spellings_meet() {
    let names =
        "T-shirt,Wi-Fi technician,E-commerce,Women's shoes,Healthcare,Wifi router,State-of-the-art,Red shirt";
    first(
        &english(&names.split(',').collect::<Vec<&str>>()),
        "
        tshirt => T-shirt | Folded
        t shirt => T-shirt | Folded
        T–Shirt => T-shirt | Whole
        wifi => Wifi router | Start
        wifi technician => Wi-Fi technician | Folded
        wi fi => Wi-Fi technician | Start
        wi-fi rout => Wifi router | Word
        wi fi rout => Wifi router | Word
        ecommerce => E-commerce | Folded
        womens shoe => Women's shoes | Word
        women’s shoes => Women's shoes | Whole
        health care => Healthcare | Folded
        stateoftheart => State-of-the-art | Folded
        state of the art => State-of-the-art | Folded
        ",
    );
}

/// A language, a name, and what finds it whole or by its start.
const WITH_AND: &str = "
    en | Toys & Games | toys and games | Toys&Games | toys games
    de | Spielzeug & Spiele | spielzeug und spiele | Spielzeug + Spiele | spielzeug und spi
    fr | Jeux & jouets | jeux et jouets | jeux jouets | jeux et jou
    es | Padres e hijos | padres y hijos | padres & hijos | padres e hij
    it | Casa e giardino | casa & giardino | casa giardino | casa e giard
    pt | Casa & jardim | casa e jardim | casa jardim | casa e jar
    nl | Eten & drinken | eten en drinken | eten drinken | eten en dri
    sv | Mat & dryck | mat och dryck | mat dryck | mat och dr
    da | Mad og drikke | mad & drikke | mad drikke | mad & dr
    nb | Mat og drikke | mat & drikke | mat drikke | mat & dr
    fi | Ruoka & juoma | ruoka ja juoma | ruoka juoma | ruoka ja juo
    pl | Dom i ogród | dom & ogrod | dom ogród | dom i ogr
    cs | Dům & zahrada | dum a zahrada | dům zahrada | dum a zah
    hu | Ház és kert | haz & kert | ház kert | ház & ke
    ro | Casă și grădină | casa si gradina | casă & grădină | casa si gra
    tr | Ev ve bahçe | ev & bahçe | ev bahce | ev & bah
    ru | Дом и сад | дом & сад | дом сад | дом и са
    uk | Дім та сад | дім і сад | дім & сад | дім та са
    el | Σπίτι και κήπος | σπιτι & κηπος | σπίτι κήπος | σπιτι και κη
    ar | الألعاب و الدمى | الألعاب & الدمى | الالعاب و الدمى | الألعاب و الد
    hi | खिलौने और खेल | खिलौने & खेल | खिलौने खेल | खिलौने और खे
    vi | Nhà & vườn | nhà và vườn | nha va vuon | nha va vu
    id | Rumah & taman | rumah dan taman | rumah taman | rumah dan tam
    ko | 장난감 및 게임 | 장난감 & 게임 | 장난감 게임 | 장난감 및 게
    zh | 玩具和游戏 | 玩具与游戏 | 玩具&游戏 | 玩具 游戏
    ja | 玩具とゲーム | 玩具＆ゲーム | 玩具 ゲーム | 玩具・ゲーム
    th | ของเล่นและเกม | ของเล่น & เกม | ของเล่น เกม | ของเล่นและเก
    ";

/// A language, and pairs of a name and the number of it that is typed.
const NUMBERS: &str = "
    en | Cat cats | Pens pen | Job jobs | Ponies pony | Box boxes | Salesman salesmen | Shelf shelves
    fr | Jeu jeux | Cheval chevaux | Robes robe
    es | Luz luces | Flores flor | Casa casas
    pt | Avião aviões | Hotel hotéis | Jardim jardins
    it | Gatto gatti | Cani cane | Banco banchi
    de | Buch Bücher | Häuser Haus | Lehrerin Lehrerinnen | Jacken Jacke | Museum Museen
    nl | Boom bomen | Katten kat | Hobby hobbys
    sv | Flicka flickor | Bilar bil | Kakor kaka
    da | Bil biler | Heste hest
    nb | Bil biler | Bøker bøk
    fi | Kissa kissat | Hevoset hevonen
    pl | Zabawka zabawki | Koty kot
    cs | Hračka hračky | Knihy kniha
    ru | Игрушка игрушки | Книги книга
    uk | Книга книги
    el | Δρόμος δρόμοι | Θάλασσα θάλασσες
    tr | Kitap kitaplar | Evler ev
    hu | Kutya kutyák
    he | ספר ספרים
    ko | 고양이 고양이들
    ";

/// The cells of each row of a table; of the first one apart.
fn cells(table: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let cells = rows(table).map(|row| row.split(" | "));
    cells.map(|mut cells| (cells.next().unwrap(), cells.collect()))
}

/// Checks that a query finds a name first, in a class or a better one.
#[track_caller]
fn is_first(language: &str, names: &[&str], query: &str, class: Match) {
    let options = SearchOptions::new(50).unwrap();
    let hits = object(language, names).search(query, &options).hits;
    let first = hits.first();
    let is_first = first.is_some_and(|hit| hit.name == names[0] && hit.matched <= class);
    assert!(is_first, "{language} {query}: {hits:?}");
}

#[test]
fn the_word_for_and_does_not_count_between_two_others() {
    for (language, cells) in cells(WITH_AND) {
        for query in &cells[1..] {
            is_first(language, &[cells[0], "Other"], query, Match::Start);
        }
    }
    let vitamins = object("cs", &["Vitamín A", "Vitamín", "A"]);
    first(&vitamins, "vitamin a => Vitamín A | Folded\na => A | Whole");
    // A word that begins with the sign, ends with it, or has it inside.
    let object = object("zh", &["和服", "服装", "中和", "共和国"]);
    finds(&object, "和服 => 和服");
    first(&object, "中和 => 中和 | Whole\n共国 => 共和国 | Typo");
}

#[test]
fn plurals_meet() {
    for (language, cells) in cells(NUMBERS) {
        for pair in cells {
            let (name, query) = pair.split_once(' ').unwrap();
            is_first(language, &[name, "Xyz", "Big other thing"], query, Match::Word);
        }
    }
    // A name of no other word first; a word of two letters has no plural.
    let names = ["Cat food", "Cat", "Big cat", "Catalogue", "TV set"];
    finds(&english(&names), "cats => Cat | Big cat | Cat food\ntvs => -");
    // A language without the rule.
    first(&object("zh", &["Cat"]), "cats => Cat | Typo");
}

#[test]
fn a_long_query_is_answered() {
    let esco = "export specialist in hides, skins, furs and finished leather goods";
    let french = "chargé d’affaires de l’import et de l’export de cuirs et peaux";
    let skills = "C/C++/C# (.NET), T-SQL & e-commerce R&D";
    let state = "Department of Health, Education and Welfare of the State of New York";
    let object = english(&[esco, french, skills, state]);
    let begun = "charge d affaires de l import et de l export de cuirs";
    let turned = "goods of finished leather, furs, skins and hides: specialist for export to me";
    for (query, name, class) in [
        (esco, esco, "Whole"),
        (&esco.replace(',', ""), esco, "Folded"),
        (&french.replace('’', "'"), french, "Whole"),
        (begun, french, "Start"),
        (skills, skills, "Whole"),
        (turned, esco, "Word"),
    ] {
        first(&object, &format!("{query} => {name} | {class}"));
    }
    assert!(object.names(&"zq ".repeat(160)).is_empty());
    // A ninth word ranks.
    let begin = "alpha bravo charlie delta echos foxtrot golfs hotel";
    let (red, blue) = (format!("{begin} red"), format!("{begin} blue"));
    let object = english(&[&red, &blue]);
    let backwards = "hotel golfs foxtrot echos delta charlie bravo alpha";
    assert_eq!(object.names(&format!("{backwards} blue")), [&*blue, &*red]);
    assert_eq!(object.names(&format!("{backwards} red")), [&*red, &*blue]);
}
