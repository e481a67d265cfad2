//! Reading by parts, as a reader without the whole file does: the tail, then one part at a time.

use std::cell::RefCell;
use std::ops::Range;

use taxonomy_index::{Block, Bucket, Column, Footer, IdTable, Located, Part, PartName, TAIL};
use taxonomy_model::items;

use crate::chain::{Link, chain, expected};
use taxonomy_testfiles::taxonomy;

/// An object that is read by ranges.
struct Object<'a> {
    link: &'a Link,
    reads: RefCell<Vec<Range<u64>>>,
}

impl Object<'_> {
    fn read(&self, range: Range<u64>) -> Vec<u8> {
        self.reads.borrow_mut().push(range.clone());
        let range = usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
        self.link.body[range].to_vec()
    }

    fn part(&self, footer: &Footer, tail: &[u8], part: &Part) -> Vec<u8> {
        match footer.bytes_in_tail(part, tail) {
            Some(packed) => packed.to_vec(),
            None => self.read(part.range()),
        }
    }
}

/// A term that a reader finds by its id: FinalName and the number of terms below it.
fn find(object: &Object<'_>, tail: u64, id: u64) -> Option<(String, u32)> {
    let size = object.link.body.len() as u64;
    let tail = object.read(size.saturating_sub(tail)..size);
    let expected = expected(&object.link.identity);
    let footer = match Footer::locate(&tail, size, expected).unwrap() {
        Located::Here(footer) => *footer,
        Located::Elsewhere(part) => Footer::open(&object.read(part.range()), &part, expected).unwrap(),
    };
    let read = |part: &Part| object.part(&footer, &tail, part);
    let values = |(_, part): (u32, Part)| {
        let bucket = Bucket::open(&read(&part), &part, &footer).unwrap();
        bucket.values(id..=id).collect::<Vec<u32>>()
    };
    let mut found = footer.buckets(IdTable::TermIds, id..=id).flat_map(values);
    let ordinal = found.next()?;
    let (_, part) = footer.block_of(ordinal)?;
    let block = Block::open(&read(&part), &part, &footer).unwrap();
    let (_, part) = footer.column_of(ordinal)?;
    let column = Column::open(&read(&part), &part, &footer).unwrap();
    let term = block.term(ordinal)?;
    let stored = items::stored_term(term, &[]);
    Some((stored.final_name, column.row(ordinal)?.span - 1))
}

const FILE: &str = r#"{"defaultCulture":"en-GB","categories":[{"id":1,"name":"A","terms":[{"id":7,"name":"B","children":[{"id":8,"name":"C"}]}]}]}"#;

#[test]
fn a_reader_finds_a_term_however_much_of_the_end_it_reads_first() {
    let link = chain([taxonomy(FILE)]).pop().unwrap();
    let object = || Object {
        link: &link,
        reads: RefCell::default(),
    };
    for tail in (40..link.body.len() as u64).chain([TAIL]) {
        let object = object();
        assert_eq!(find(&object, tail, 7), Some(("A:B".to_owned(), 1)));
        assert_eq!(find(&object, tail, 8), Some(("A:C".to_owned(), 0)));
        assert_eq!(find(&object, tail, 9), None);
    }
    let object = object();
    find(&object, TAIL, 7);
    assert_eq!(object.reads.borrow().len(), 1, "the tail holds a small file");
}

#[test]
fn ordinals_and_keys_that_a_file_lacks_have_no_part() {
    let link = chain([taxonomy(FILE)]).pop().unwrap();
    let file = link.file();
    let footer = file.footer();
    assert_eq!(footer.ordinals(), 0..3);
    assert!(footer.block_of(3).is_none() && footer.column_of(3).is_none());
    assert!(footer.block_of(u32::MAX).is_none() && footer.column_of(u32::MAX).is_none());
    assert!(
        footer.part(PartName::Block(2)).is_none()
            && footer.ordinals_of_block(2).is_none()
            && footer.part(PartName::Bucket(IdTable::Paths, 0)).is_none()
    );
    assert_eq!(footer.buckets(IdTable::TermIds, 6..=6).count(), 0);
    assert_eq!(footer.buckets(IdTable::TermIds, 7..=7).count(), 1);
    assert_eq!(footer.buckets(IdTable::Paths, 7..=7).count(), 0);
    assert!(footer.bucket_at(IdTable::Times, 999).is_none());
    let block = file.block_of(1).unwrap();
    assert!(block.term(0).is_none() && block.term(3).is_none() && block.category(1).is_none());
}
