; What begins with //! or /*! documents what is around it.
[(line_comment !inner) (block_comment !inner)] @comment
(attribute_item) @attribute

(use_declaration argument: (_) @import)
(extern_crate_declaration name: (identifier) @import)
(mod_item name: (identifier) @import !body)
(mod_item name: (identifier) @name body: (_) @body) @module

(function_item name: (_) @name body: (_) @body) @function
(function_signature_item name: (_) @name) @function
(macro_definition name: (identifier) @name) @macro

(struct_item name: (type_identifier) @name body: (_)? @body) @struct
(union_item name: (type_identifier) @name body: (_) @body) @struct
(enum_item name: (type_identifier) @name body: (_) @body) @enum
(enum_variant name: (identifier) @name body: (_)? @body) @enumCase
(trait_item name: (type_identifier) @name body: (_) @body) @interface
(impl_item type: (_) @name body: (_)? @body) @extension
(type_item name: (type_identifier) @name) @typeAlias
(associated_type name: (type_identifier) @name) @typeAlias

(field_declaration name: (field_identifier) @name) @property
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @variable

(let_declaration pattern: (identifier) @name value: (closure_expression body: (_) @body)) @lambda
(const_item name: (identifier) @name value: (closure_expression body: (_) @body)) @lambda
(static_item name: (identifier) @name value: (closure_expression body: (_) @body)) @lambda

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (scoped_identifier name: (identifier) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function function: (field_expression field: (field_identifier) @call)))
(call_expression function: (generic_function function: (scoped_identifier name: (identifier) @call)))
(macro_invocation macro: (identifier) @call)
(macro_invocation macro: (scoped_identifier name: (identifier) @call))
