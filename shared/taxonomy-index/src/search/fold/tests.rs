//! Folding, example by example.

use super::Text;

/// Checks the folded words of a text.
#[track_caller]
fn check(text: &str, words: &str) {
    let folded = Text::fold(text);
    let found = folded.runs.iter().map(|run| folded.folded(run.clone()));
    assert_eq!(found.collect::<Vec<_>>().join(" "), words, "{text}");
}

#[test]
fn case_and_marks_vanish() {
    check("Crème BRÛLÉE", "creme brulee");
    check("Crème-Brûlée", "creme brulee");
    check("cre\u{300}me", "creme");
    check("Straße STRASSE ẞ", "strasse strasse ss");
    check("ﬁle ﬄ ™", "file ffl");
    check("Łódź Ærø Œuvre Þór", "lodz aero oeuvre thor");
    check("Đakovo Ħal ĳs", "dakovo hal ijs");
    check("İstanbul ISPARTA ılıca", "istanbul isparta ilica");
    check("ΆΛΦΑ άλφα Όμηρος ΟΜΗΡΟΣ ᾳ", "αλφα αλφα ομηροσ ομηροσ αι");
    check("Ёлка ёлка Йод", "елка елка иод");
    check("Tiếng Việt Đà Nẵng", "tieng viet da nang");
    check("ＡＢＣ１２３ ² ½", "abc123 2 1 2");
    check("𝐀𝒃 Ⅷ", "ab viii");
}

#[test]
fn scripts_keep_their_letters() {
    check("أحمد إسلام آدم", "احمد اسلام ادم");
    check("كِتَاب کتاب ـكتابـ", "كتاب كتاب كتاب");
    check("می\u{200c}خواهم", "ميخواهم");
    check("שָׁלוֹם שלום", "שלום שלום");
    check("हिन्दी क़लम", "हिन्दी क\u{93c}लम");
    check("ข้าว น้ำ", "ขาว นํา");
}

#[test]
fn what_is_no_letter_divides_words() {
    check("women's shoes/boots (E11.9)", "women s shoes boots e11 9");
    check(" \u{301} \u{200d} - ", "");
    check("co\u{ad}operate", "cooperate");
}

#[test]
fn signs_are_part_of_the_surface_of_the_letter_that_they_touch() {
    let check = |text: &str, surfaces: &str| {
        let folded = Text::fold(text);
        let found = folded.runs.iter().map(|run| folded.surface(run.clone()));
        assert_eq!(found.collect::<Vec<_>>().join(" "), surfaces, "{text}");
    };
    check("C C++ c# F＃", "c c++ c# f#");
    check(".NET, ASP.NET ... A.", ".net asp net a");
    check("C++/C#, C++11 (C#)", "c++ c# c++ 11 c#");
    check("R&D AT&T A+B you@home", "r d at t a b you home");
    check("$100 50% +1 #tag @home €5", "$100 50% +1 #tag @home €5");
    check("Toys & Games K + S", "toys & games k + s");
    check("Toys& games", "toys & games");
    check("a😀b 👩‍👧 c ❤️ $ ++ C++ é+", "a 😀 b 👩👧 c ❤ $ ++ c++ \u{301}e+");
    let folded = Text::fold("x C++ .NET");
    let shown = |run: usize| {
        let letters = &folded.letters[folded.runs[run].clone()];
        (letters[0].start, letters[letters.len() - 1].end)
    };
    assert_eq!([shown(0), shown(1), shown(2)], [(0, 1), (2, 5), (6, 10)]);
}

#[test]
fn a_joint_stands_alone_between_two_words() {
    let check = |text: &str, joints: &str| {
        let found = Text::fold(text).joints.into_iter();
        let found = found.map(|joint| joint.unwrap_or(' '));
        assert_eq!(found.collect::<String>(), joints, "{text}");
    };
    check("Node.js wi-fi Wi–Fi", " . - -");
    check("women's d’affaires", " ' '");
    check("A/B R&D A+B C++11 C++/C#", " / & + + /");
    check("a - b a, b (c) a--b", "       ");
    check("-a カード・ケース", "  ·");
    check("a😀b a & b", "      ");
}

#[test]
fn every_character_starts_a_word_where_words_have_no_spaces() {
    let check = |text: &str, starts: &str| {
        let folded = Text::fold(text);
        let found = folded.starts().map(|word| folded.folded(word));
        assert_eq!(found.collect::<Vec<_>>().join(" "), starts, "{text}");
    };
    check("手机壳", "手机壳 机壳 壳");
    check("iPhone手机case", "iphone手机case 手机case 机case case");
    check("かな", "かな な");
    check("ガム", "か\u{3099}む む");
    check("ｶﾞﾑ", "か\u{3099}む む");
    check("ไทย", "ไทย ทย ย");
    check("한국어 사전", &decomposed("한국어 사전"));
    check("ລາວ", "ລາວ າວ ວ");
    check("ខ្មែរ", "ខ\u{17d2}មែរ មែរ ែរ រ");
    check("မြန်", "မြန\u{103a} ြန\u{103a} န\u{103a}");
}

/// Syllables as their letters.
fn decomposed(text: &str) -> String {
    let letters = |syllable: char| {
        let number = u32::from(syllable) - 0xac00;
        let last = number % 28;
        let letters = [0x1100 + number / 588, 0x1161 + number % 588 / 28, 0x11a7 + last];
        let count = if last == 0 { 2 } else { 3 };
        letters.into_iter().take(count).filter_map(char::from_u32)
    };
    let words = text.split(' ');
    let words = words.map(|word| word.chars().flat_map(letters).collect::<String>());
    words.collect::<Vec<String>>().join(" ")
}
