//! Checks references to the kernel's functions and variables: `` `name``, ``module`name``.

use engine_dvm::Builtin;

use super::{Checker, expression};
use crate::builtin;
use crate::error::Mistake;
use crate::fold::Constant;
use crate::stability::KERNEL;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::{FUNCTION, Family, TypeId, UINTPTR, VMLINUX};

impl Checker<'_> {
    /// The function or the variable, which is at a constant address, or behind it by the CPU's offset.
    pub(super) fn symbol(&mut self, name: &str, line: u32) -> Result<Expression, Mistake> {
        let (module, short) = name.rsplit_once('`').unwrap_or(("", name));
        let Some(kernel) = self.types.kernel() else {
            let message = format!("{name}: there is no kernel to look it up in");
            return Err(Mistake::new(Tag::SymNotypes, line, message));
        };
        let module = Some(module).filter(|it| !it.is_empty());
        let Some(found) = kernel.symbol(module, short) else {
            let message = format!("failed to resolve {name}: Unknown symbol name");
            return Err(Mistake::new(Tag::IdentUndef, line, message));
        };
        self.rely_on(KERNEL, format_args!("symbol {name}"), line)?;
        let module = found.module.as_deref().unwrap_or(VMLINUX);
        let type_ = self.types.kernel_object(module, short);
        let type_ = type_.unwrap_or(match found.is_code {
            true => FUNCTION,
            false => UINTPTR,
        });
        let pointer = self.types.pointer_to(type_);
        let constant = Constant {
            value: found.address,
            type_: pointer,
        };
        let mut address = self.constant(constant, line);
        if found.is_per_cpu || self.types.is_per_cpu(module, short) {
            address = self.copy_of_cpu(address, line);
        }
        let kind = ExpressionKind::Load(Box::new(address));
        Ok(expression(kind, type_, line))
    }

    /// The address of this CPU's copy of a per-CPU variable.
    fn copy_of_cpu(&self, pointer: Expression, line: u32) -> Expression {
        let builtin = Builtin::Cpuoffset;
        let kind = ExpressionKind::Builtin(builtin, 0);
        let offset = expression(kind, builtin::type_of(builtin), line);
        let type_ = pointer.type_;
        let kind = ExpressionKind::Offset {
            pointer: Box::new(pointer),
            index: Box::new(offset),
            scale: 1,
            is_back: false,
        };
        expression(kind, type_, line)
    }

    /// The type of pointers to the kernel's threads.
    pub(super) fn task_pointer(&mut self) -> TypeId {
        let task = self.types.tag(Family::Struct, "task_struct");
        self.types.pointer_to(task)
    }
}
