//! Files taken apart and put together again by hand, so that tests can break one thing and leave the rest right.
//!
//! Nothing here uses the crate's own idea of the layout.

/// A file as numbers.
#[derive(Clone, Debug)]
pub struct RawFile {
    pub major: u16,
    pub minor: u16,
    pub sections: Vec<RawSection>,
}

/// A section as numbers and bytes.
#[derive(Clone, Debug)]
pub struct RawSection {
    pub kind: u32,
    pub flags: u32,
    pub record_bytes: u32,
    pub record_count: u32,
    pub owner: u32,
    pub number: u32,
    pub bytes: Vec<u8>,
}

impl RawFile {
    pub fn parse(file: &[u8]) -> Self {
        let sections = (0..u32_at(file, 16) as usize).map(|section| {
            let entry = 32 + section * 48;
            let (offset, length) = (u64_at(file, entry + 8) as usize, u64_at(file, entry + 16) as usize);
            RawSection {
                kind: u32_at(file, entry),
                flags: u32_at(file, entry + 4),
                record_bytes: u32_at(file, entry + 24),
                record_count: u32_at(file, entry + 28),
                owner: u32_at(file, entry + 36),
                number: u32_at(file, entry + 40),
                bytes: file[offset..offset + length].to_vec(),
            }
        });
        Self {
            major: u32_at(file, 4) as u16,
            minor: (u32_at(file, 4) >> 16) as u16,
            sections: sections.collect(),
        }
    }

    /// The bytes, with offsets, lengths and CRCs that are right.
    pub fn build(&self) -> Vec<u8> {
        let mut file = vec![0; 32 + self.sections.len() * 48];
        for (section, index) in self.sections.iter().zip(0..) {
            file.resize(file.len().next_multiple_of(64), 0);
            let entry = 32 + index * 48;
            let offset = file.len() as u64;
            file[entry..entry + 4].copy_from_slice(&section.kind.to_le_bytes());
            file[entry + 4..entry + 8].copy_from_slice(&section.flags.to_le_bytes());
            file[entry + 8..entry + 16].copy_from_slice(&offset.to_le_bytes());
            file[entry + 16..entry + 24].copy_from_slice(&(section.bytes.len() as u64).to_le_bytes());
            file[entry + 24..entry + 28].copy_from_slice(&section.record_bytes.to_le_bytes());
            file[entry + 28..entry + 32].copy_from_slice(&section.record_count.to_le_bytes());
            file[entry + 36..entry + 40].copy_from_slice(&section.owner.to_le_bytes());
            file[entry + 40..entry + 44].copy_from_slice(&section.number.to_le_bytes());
            file.extend_from_slice(&section.bytes);
        }
        let total = file.len() as u64;
        file[0..4].copy_from_slice(b"ANTX");
        file[4..6].copy_from_slice(&self.major.to_le_bytes());
        file[6..8].copy_from_slice(&self.minor.to_le_bytes());
        file[8..16].copy_from_slice(&total.to_le_bytes());
        file[16..20].copy_from_slice(&(self.sections.len() as u32).to_le_bytes());
        seal(&mut file);
        file
    }

    pub fn section(&mut self, kind: u32) -> &mut RawSection {
        self.sections.iter_mut().find(|section| section.kind == kind).expect("a section of this kind")
    }

    /// Adds a section where its kind belongs.
    pub fn insert(&mut self, section: RawSection) {
        let at = self.sections.partition_point(|other| other.kind <= section.kind);
        self.sections.insert(at, section);
    }
}

/// Makes every CRC right, as far as the section table points into the file.
pub fn seal(file: &mut [u8]) {
    for section in 0..(u32_at(file, 16) as usize).min((file.len() - 32) / 48) {
        let entry = 32 + section * 48;
        let (offset, length) = (u64_at(file, entry + 8) as usize, u64_at(file, entry + 16) as usize);
        if let Some(bytes) = offset.checked_add(length).and_then(|end| file.get(offset..end)) {
            let crc = crc32fast::hash(bytes);
            file[entry + 32..entry + 36].copy_from_slice(&crc.to_le_bytes());
        }
    }
    seal_header(file);
}

/// Makes the CRC of header and section table right, and no other.
pub fn seal_header(file: &mut [u8]) {
    let table_end = (32 + u32_at(file, 16) as usize * 48).min(file.len());
    file[20..24].fill(0);
    let crc = crc32fast::hash(&file[..table_end]);
    file[20..24].copy_from_slice(&crc.to_le_bytes());
}

pub fn u32_at(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(file[at..at + 4].try_into().unwrap())
}

pub fn u64_at(file: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(file[at..at + 8].try_into().unwrap())
}
