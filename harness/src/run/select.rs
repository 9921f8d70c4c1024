//! Selects scenarios by the filters of the command line. Pure.

/// A filter that matches nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no scenario matches `{filter}`; similar: {}", near.join(", "))]
pub struct NoMatch {
    /// The filter.
    pub filter: String,
    /// The most similar ids.
    pub near: Vec<String>,
}

/// The ids that contain one of `filters`; all of them without filters.
pub fn select<'i>(ids: &'i [String], filters: &[String]) -> Result<Vec<&'i String>, NoMatch> {
    if let Some(filter) = filters
        .iter()
        .find(|f| !ids.iter().any(|id| id.contains(*f)))
    {
        return Err(NoMatch {
            filter: filter.clone(),
            near: near(ids, filter),
        });
    }
    let wanted = |id: &&String| filters.is_empty() || filters.iter().any(|f| id.contains(f));
    Ok(ids.iter().filter(wanted).collect())
}

const NEAR: usize = 5;

fn near(ids: &[String], filter: &str) -> Vec<String> {
    let mut ids = ids.to_vec();
    ids.sort_by(|a, b| likeness(b, filter).total_cmp(&likeness(a, filter)));
    ids.truncate(NEAR);
    ids
}

/// Similarity to the claim, the provider or the whole id, whichever is highest.
fn likeness(id: &str, filter: &str) -> f64 {
    id.split('/')
        .chain([id])
        .map(|part| strsim::normalized_damerau_levenshtein(part, filter))
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_parts_of_ids() {
        let ids = ["cli/list", "fbt/three-chdir", "fbt/ten-thousand"].map(str::to_owned);
        let pick = |filters: &[&str]| {
            let filters: Vec<String> = filters.iter().map(|f| (*f).to_owned()).collect();
            select(&ids, &filters).map(|got| got.into_iter().cloned().collect::<Vec<_>>())
        };
        assert_eq!(pick(&[]).expect("all").len(), 3);
        assert_eq!(pick(&["fbt/"]).expect("two"), ids[1..]);
        assert_eq!(pick(&["list", "ten"]).expect("two").len(), 2);
        let error = pick(&["list", "three-chdri"]).expect_err("a slip of the pen");
        insta::assert_snapshot!(error, @"no scenario matches `three-chdri`; similar: fbt/three-chdir, fbt/ten-thousand, cli/list");
    }
}
