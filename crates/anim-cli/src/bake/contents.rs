//! What a bake stores: `--content` and `--encoding` together.

use anim_bake::settings::{DEFAULT_ENCODINGS, content_of, default_encoding, encoding_name};
use anim_format::model::{Content, Encoding};

use crate::args::{BakeArgs, ContentArg, EncodingArg};
use crate::diagnostics::{Exit, Failure, Problem};
use crate::tables::content_name;

/// The encodings of a bake, one for each content, or why they cannot be meant.
///
/// An encoding implies its content; a content without one has its usual encoding.
pub(super) fn encodings(args: &BakeArgs) -> Result<Vec<Encoding>, Failure> {
    let contents: Vec<Content> = args
        .content
        .iter()
        .map(|content| match content {
            ContentArg::Local => Content::Local,
            ContentArg::Rows => Content::Rows,
        })
        .collect();
    let encodings: Vec<Encoding> = args
        .encoding
        .iter()
        .map(|encoding| match encoding {
            EncodingArg::Local8 => Encoding::Local8,
            EncodingArg::Local32 => Encoding::Local32,
            EncodingArg::Affine32 => Encoding::Affine32,
            EncodingArg::Affine16 => Encoding::Affine16,
        })
        .collect();
    for (number, content) in contents.iter().enumerate() {
        if contents[..number].contains(content) {
            return Err(usage("--content", format!("{} is named twice", content_name(*content))));
        }
    }
    for (number, encoding) in encodings.iter().enumerate() {
        let content = content_of(*encoding);
        if let Some(other) = encodings[..number].iter().find(|other| content_of(**other) == content) {
            let names = [encoding_name(*other), encoding_name(*encoding)].join(" and ");
            return Err(usage(
                "--encoding",
                format!("{names} are both encodings of {}", content_name(content)),
            ));
        }
        if !contents.is_empty() && !contents.contains(&content) {
            let what = format!("{} is an encoding of {}", encoding_name(*encoding), content_name(content));
            return Err(usage("--encoding", format!("{what}, which --content does not name")));
        }
    }
    if args.lossless {
        let exact = |content: &Content| match content {
            Content::Local => Encoding::Local32,
            _ => Encoding::Affine32,
        };
        return Ok(if contents.is_empty() {
            vec![Encoding::Local32]
        } else {
            contents.iter().map(exact).collect()
        });
    }
    if contents.is_empty() {
        return Ok(if encodings.is_empty() { DEFAULT_ENCODINGS.to_vec() } else { encodings });
    }
    let of_content = |content: &Content| {
        let given = encodings.iter().find(|encoding| content_of(**encoding) == *content);
        given.copied().unwrap_or_else(|| default_encoding(*content))
    };
    Ok(contents.iter().map(of_content).collect())
}

fn usage(option: &str, what: String) -> Failure {
    let problem = Problem::error("contents-unclear", option, what)
        .expected_found("each content once, and at most one encoding for each of them", "another list")
        .help("for example --content local,rows --encoding local8,affine16");
    Failure { exit: Exit::Usage, problems: vec![problem] }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Cli, Command};

    #[test]
    fn an_encoding_implies_its_content_and_a_content_has_a_usual_encoding() {
        use Encoding::{Affine16, Affine32, Local8, Local32};
        let table: [(&str, Option<&[Encoding]>); 13] = [
            ("", Some(DEFAULT_ENCODINGS)),
            ("--encoding local32", Some(&[Local32])),
            ("--encoding affine32,local8", Some(&[Affine32, Local8])),
            ("--content rows", Some(&[Affine16])),
            ("--content local,rows", Some(&[Local8, Affine16])),
            ("--content local,rows --encoding affine32", Some(&[Local8, Affine32])),
            ("--content local --encoding local32", Some(&[Local32])),
            ("--lossless", Some(&[Local32])),
            ("--lossless --content rows,local", Some(&[Affine32, Local32])),
            ("--content local --encoding affine32", None),
            ("--content rows,rows", None),
            ("--encoding affine16,affine32", None),
            ("--encoding local8 --encoding local8", None),
        ];
        for (options, expected) in table {
            let args = ["anim", "bake", "fox.glb"].into_iter().chain(options.split_whitespace());
            let Command::Bake(args) = Cli::try_parse_from(args).unwrap().command else {
                unreachable!("the second argument is bake")
            };
            assert_eq!(encodings(&args).ok().as_deref(), expected, "{options}");
        }
    }
}
