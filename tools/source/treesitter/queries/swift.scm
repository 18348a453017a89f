[(comment) (multiline_comment)] @comment
(attribute) @attribute

(import_declaration (identifier) @import)

(class_declaration declaration_kind: "class" name: (_) @name body: (_) @body) @class
(class_declaration declaration_kind: "struct" name: (_) @name body: (_) @body) @struct
(class_declaration declaration_kind: "enum" name: (_) @name body: (_) @body) @enum
(class_declaration declaration_kind: "actor" name: (_) @name body: (_) @body) @actor
(class_declaration declaration_kind: "extension" name: (_) @name body: (_) @body) @extension
(protocol_declaration name: (_) @name body: (_) @body) @interface
(typealias_declaration name: (type_identifier) @name) @typeAlias
(associatedtype_declaration name: (type_identifier) @name) @typeAlias
(enum_entry name: (simple_identifier) @name) @enumCase
(operator_declaration "operator" . _ @name) @operator
(macro_declaration (simple_identifier) @name) @macro

(function_declaration name: (simple_identifier) @name body: (_)? @body) @function
(function_declaration name: [(custom_operator) "==" "!=" "<" ">" "<=" ">=" "===" "!==" "+" "-" "*" "/" "%" "+=" "-=" "*=" "/=" "%=" "!" "~" "&" "|" "^" "<<" ">>" "++" "--" ] @name body: (_)? @body) @operator
(protocol_function_declaration name: (simple_identifier) @name) @method
(init_declaration name: "init" @name body: (_)? @body) @initializer
(deinit_declaration "deinit" @name body: (_)? @body) @deinitializer
(subscript_declaration "subscript" @name (computed_property)? @body) @subscript

(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @variable
(property_declaration name: (pattern (pattern (simple_identifier) @name))) @variable
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_) @body) @variable
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name) (willset_didset_block) @body) @variable
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name) value: (lambda_literal) @body) @lambda
(lambda_literal) @local
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @property

(computed_getter (getter_specifier "get" @name) "{" @body) @accessor
(computed_setter (setter_specifier "set" @name) "{" @body) @accessor
(computed_modify (modify_specifier "_modify" @name) "{" @body) @accessor
(willset_clause "willSet" @name "{" @body) @accessor
(didset_clause "didSet" @name "{" @body) @accessor

(call_expression . (simple_identifier) @call (call_suffix (value_arguments "(")))
(call_expression . (simple_identifier) @call (call_suffix . (lambda_literal)))
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @call)) (call_suffix (value_arguments "(")))
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @call)) (call_suffix . (lambda_literal)))
(call_expression . (prefix_expression target: (simple_identifier) @call))
(call_expression . (postfix_expression target: (simple_identifier) @call))
(constructor_expression constructed_type: (user_type (type_identifier) @call .))
