//! Tantivy, in memory: each word of the query is the beginning of a word of the name, with a typo where it has five letters, or without.
//! In scripts without spaces words are signs and pairs of signs.

use std::error::Error;

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, FuzzyTermQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions, Value};
use tantivy::tokenizer::{
    AsciiFoldingFilter, LowerCaser, NgramTokenizer, RawTokenizer, SimpleTokenizer, TextAnalyzer,
};
use tantivy::{Index, IndexWriter, Searcher, TantivyDocument, Term, doc};

use crate::{Engine, HITS, Names};

/// Letters of a word that may have a typo.
const LETTERS_FOR_A_TYPO: usize = 5;
const WRITER_BYTES: usize = 256 << 20;
/// How much more a name counts that is the query than one that holds its words.
const WHOLE: f32 = 100.0;

pub struct Tantivy {
    searcher: Searcher,
    words: TextAnalyzer,
    whole: TextAnalyzer,
    fields: Fields,
    has_spaces: bool,
    typos: u8,
}

#[derive(Clone, Copy)]
struct Fields {
    key: Field,
    name: Field,
    whole: Field,
}

impl Tantivy {
    pub fn load(names: &Names, has_spaces: bool, typos: u8) -> Result<Self, Box<dyn Error>> {
        let mut schema = Schema::builder();
        let fields = Fields {
            key: schema.add_text_field("key", STORED),
            name: schema.add_text_field("name", analyzed("words")),
            whole: schema.add_text_field("whole", analyzed("whole")),
        };
        let index = Index::create_in_ram(schema.build());
        let words = if has_spaces {
            folded(SimpleTokenizer::default())
        } else {
            folded(NgramTokenizer::all_ngrams(1, 2)?)
        };
        let whole = folded(RawTokenizer::default());
        index.tokenizers().register("words", words.clone());
        index.tokenizers().register("whole", whole.clone());
        let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES)?;
        for (key, name) in names {
            writer
                .add_document(doc!(fields.key => &**key, fields.name => &**name, fields.whole => &**name))?;
        }
        writer.commit()?;
        Ok(Self {
            searcher: index.reader()?.searcher(),
            words,
            whole,
            fields,
            has_spaces,
            typos,
        })
    }

    fn query(&mut self, text: &str) -> BooleanQuery {
        let mut parts: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let mut words = tokens(&mut self.words, text);
        if !self.has_spaces && words.iter().any(|word| word.chars().count() == 2) {
            words.retain(|word| word.chars().count() == 2);
        }
        for word in words {
            let term = Term::from_field_text(self.fields.name, &word);
            if self.has_spaces {
                let typos = if word.chars().count() < LETTERS_FOR_A_TYPO {
                    0
                } else {
                    self.typos
                };
                parts.push((
                    Occur::Must,
                    Box::new(FuzzyTermQuery::new_prefix(term.clone(), typos, true)),
                ));
            }
            // Pairs of signs may be missing where a typo is allowed.
            let needs_all = !self.has_spaces && self.typos == 0;
            let occur = if needs_all { Occur::Must } else { Occur::Should };
            parts.push((
                occur,
                Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)),
            ));
        }
        for name in tokens(&mut self.whole, text) {
            let term = Term::from_field_text(self.fields.whole, &name);
            let query = Box::new(TermQuery::new(term, IndexRecordOption::Basic));
            parts.push((Occur::Should, Box::new(BoostQuery::new(query, WHOLE))));
        }
        BooleanQuery::new(parts)
    }
}

impl Engine for Tantivy {
    fn search(&mut self, text: &str) -> Result<Vec<String>, Box<dyn Error>> {
        let query = self.query(text);
        let found = self
            .searcher
            .search(&query, &TopDocs::with_limit(2 * HITS).order_by_score())?;
        let key = |address| -> Result<String, Box<dyn Error>> {
            let document: TantivyDocument = self.searcher.doc(address)?;
            let key = document.get_first(self.fields.key).and_then(|key| key.as_str());
            Ok(key.unwrap_or_default().to_owned())
        };
        found.into_iter().map(|(_, address)| key(address)).collect()
    }
}

fn analyzed(tokenizer: &str) -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(tokenizer)
        .set_index_option(IndexRecordOption::WithFreqs);
    TextOptions::default().set_indexing_options(indexing)
}

fn folded(tokenizer: impl tantivy::tokenizer::Tokenizer) -> TextAnalyzer {
    TextAnalyzer::builder(tokenizer)
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter)
        .build()
}

fn tokens(analyzer: &mut TextAnalyzer, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    analyzer
        .token_stream(text)
        .process(&mut |token| found.push(token.text.clone()));
    found
}
