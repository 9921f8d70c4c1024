//! Enables nodes of a device tree that its board leaves disabled.

use dtoolkit::fdt::Fdt;
use dtoolkit::model::DeviceTree;
use dtoolkit::{Node, Property};

/// The node whose properties map short names to paths.
const ALIASES: &str = "/aliases";
/// The property that enables or disables a node. A node without it is enabled.
const STATUS: &str = "status";

/// Why a tree could not be changed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum DtbError {
    /// Not a device tree.
    #[error("not a device tree: {0}")]
    Unreadable(String),
    /// No node has this path or alias.
    #[error(
        "the device tree has no node {0}, by path or alias; `dtb-enable` in the guest's file \
         names it"
    )]
    NoNode(String),
}

/// The tree with these nodes enabled, each given by path or alias.
pub fn enable(dtb: &[u8], nodes: &[String]) -> Result<Vec<u8>, DtbError> {
    let fdt = Fdt::new(dtb).map_err(|why| DtbError::Unreadable(why.to_string()))?;
    if nodes.is_empty() {
        return Ok(dtb.to_vec());
    }
    let mut tree = DeviceTree::from_fdt(&fdt);
    for node in nodes {
        let path = resolve(&tree, node);
        let found = path.and_then(|path| tree.find_node_mut(&path));
        let found = found.ok_or_else(|| DtbError::NoNode(node.clone()))?;
        if let Some(status) = found.property_mut(STATUS) {
            status.set_value("okay");
        }
    }
    Ok(tree.to_dtb())
}

/// The path of a node given by path or, without a leading slash, by alias.
fn resolve(tree: &DeviceTree, node: &str) -> Option<String> {
    if node.starts_with('/') {
        return Some(node.to_owned());
    }
    let alias = tree.find_node(ALIASES)?.property(node)?;
    Some(alias.value_as::<&str>().ok()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dtoolkit::model::{DeviceTreeNode, DeviceTreeProperty};

    fn board() -> Vec<u8> {
        let property = |name, value| DeviceTreeProperty::new(name, value).unwrap();
        let node = |name| DeviceTreeNode::builder(name).unwrap();
        let aliases = node("aliases").property(property("serial1", "/soc/serial@40"));
        let serial = node("serial@40").property(property(STATUS, "disabled"));
        let timer = node("timer").property(property("clock", "slow"));
        let soc = node("soc").child(serial.build()).child(timer.build());
        let mut tree = DeviceTree::new();
        tree.root.add_child(aliases.build());
        tree.root.add_child(soc.build());
        tree.to_dtb()
    }

    fn status(dtb: &[u8], path: &str) -> Option<String> {
        let tree = DeviceTree::from_fdt(&Fdt::new(dtb).unwrap());
        let status = tree.find_node(path)?.property(STATUS)?;
        Some(status.value_as::<&str>().unwrap().to_owned())
    }

    #[test]
    fn a_node_is_enabled_by_its_path_or_alias() {
        assert_eq!(
            status(&board(), "/soc/serial@40").as_deref(),
            Some("disabled")
        );
        for name in ["serial1", "/soc/serial@40"] {
            let enabled = enable(&board(), &[name.into()]).unwrap();
            assert_eq!(status(&enabled, "/soc/serial@40").as_deref(), Some("okay"));
        }
    }

    #[test]
    fn an_enabled_node_is_left_unchanged() {
        assert_eq!(enable(&board(), &["/soc/timer".into()]), Ok(board()));
        assert_eq!(enable(&board(), &[]), Ok(board()));
    }

    #[test]
    fn a_missing_node_is_named() {
        for name in ["serial7", "/soc/serial@41"] {
            let refused = enable(&board(), &[name.into()]);
            assert_eq!(refused, Err(DtbError::NoNode(name.into())));
        }
        let refused = enable(b"no tree", &[]).unwrap_err().to_string();
        assert!(refused.starts_with("not a device tree: "), "{refused}");
    }
}
