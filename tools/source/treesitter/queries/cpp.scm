(comment) @comment
(preproc_include path: [(string_literal) (system_lib_string)] @import)
(preproc_def name: (identifier) @name value: (_)? @body) @macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @macro

(namespace_definition name: (_) @name body: (_) @body) @module

; A declarator is captured whole for the name, which is found in its text.
(declaration declarator: (_) @name @variable) @outer
(declaration type: [(class_specifier body: (_)) (struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))] declarator: (_) @name @variable)
(field_declaration declarator: (_) @name @property) @outer
(field_declaration type: [(class_specifier body: (_)) (struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))] declarator: (_) @name @property)

(type_definition declarator: (_) @name @typeAlias) @outer
(type_definition type: [(class_specifier name: (_) body: (_)) (struct_specifier name: (_) body: (_)) (union_specifier name: (_) body: (_)) (enum_specifier name: (_) body: (_))] declarator: (_) @name @typeAlias)
(type_definition type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_))] . declarator: (_) @name @struct) @outer
(type_definition type: (enum_specifier !name body: (_)) . declarator: (_) @name @enum) @outer
(alias_declaration name: (type_identifier) @name) @typeAlias
(template_declaration (alias_declaration name: (type_identifier) @name) @typeAlias) @outer
(template_declaration (concept_definition name: (identifier) @name) @interface) @outer

(class_specifier name: (_) @name body: (_) @body) @class
(struct_specifier name: (_) @name body: (_) @body) @struct
(union_specifier name: (_) @name body: (_) @body) @struct
(enum_specifier name: (_) @name body: (_) @body) @enum
(template_declaration (class_specifier name: (_) @name body: (_) @body) @class) @outer
(template_declaration (struct_specifier name: (_) @name body: (_) @body) @struct) @outer
(template_declaration (union_specifier name: (_) @name body: (_) @body) @struct) @outer
(enumerator name: (identifier) @name) @enumCase

; Functions without a body.
(declaration (attribute_declaration)* @attribute declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters) @function) @outer
(declaration declarator: (_ (function_declarator declarator: (_) @name parameters: (_) @parameters)) @function) @outer
(declaration declarator: (pointer_declarator (pointer_declarator (function_declarator declarator: (_) @name parameters: (_) @parameters))) @function) @outer
(declaration declarator: (operator_cast declarator: (_ parameters: (_) @parameters)) @function @name) @outer
(field_declaration (attribute_declaration)* @attribute declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters) @function) @outer
(field_declaration declarator: (_ (function_declarator declarator: (_) @name parameters: (_) @parameters)) @function) @outer
(template_declaration (declaration declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters) @function)) @outer
(template_declaration (declaration declarator: (_ (function_declarator declarator: (_) @name parameters: (_) @parameters)) @function)) @outer
(declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator)) @name) @variable) @outer
(field_declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator)) @name) @property) @outer

; Functions with a body, "= default" or "= delete".
(function_definition (attribute_declaration)* @attribute declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters) body: (_)? @body) @function
(function_definition (attribute_declaration)* @attribute declarator: (_ (function_declarator declarator: (_) @name parameters: (_) @parameters)) body: (_)? @body) @function
(function_definition declarator: (_ (_ (function_declarator declarator: (_) @name parameters: (_) @parameters))) body: (_)? @body) @function
(function_definition declarator: (operator_cast declarator: (_ parameters: (_) @parameters)) @name body: (_)? @body) @function
(function_definition declarator: (qualified_identifier name: (operator_cast declarator: (_ parameters: (_) @parameters))) @name body: (_)? @body) @function
(function_definition declarator: (qualified_identifier name: (qualified_identifier name: (operator_cast declarator: (_ parameters: (_) @parameters)))) @name body: (_)? @body) @function
(function_definition declarator: (qualified_identifier name: (qualified_identifier name: (qualified_identifier name: (operator_cast declarator: (_ parameters: (_) @parameters))))) @name body: (_)? @body) @function
(template_declaration (function_definition declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters) body: (_)? @body) @function) @outer
(template_declaration (function_definition declarator: (_ (function_declarator declarator: (_) @name parameters: (_) @parameters)) body: (_)? @body) @function) @outer
(template_declaration (function_definition declarator: (_ (_ (function_declarator declarator: (_) @name parameters: (_) @parameters))) body: (_)? @body) @function) @outer
(template_declaration (function_definition declarator: (operator_cast declarator: (_ parameters: (_) @parameters)) @name body: (_)? @body) @function) @outer
(template_declaration (function_definition declarator: (qualified_identifier name: (operator_cast declarator: (_ parameters: (_) @parameters))) @name body: (_)? @body) @function) @outer
(field_declaration_list (function_definition !type declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters) body: (_)? @body) @initializer)
(field_declaration_list (declaration !type declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters) @initializer) @outer)
(field_declaration_list (template_declaration (function_definition !type declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters) body: (_)? @body) @initializer) @outer)

; A macro between "class" and the name makes a function of the type.
(function_definition type: (class_specifier !body) declarator: (identifier) @name body: (compound_statement) @body) @class
(function_definition type: (struct_specifier !body) declarator: (identifier) @name body: (compound_statement) @body) @struct
(template_declaration (function_definition type: (class_specifier !body) declarator: (identifier) @name body: (compound_statement) @body) @class) @outer
(template_declaration (function_definition type: (struct_specifier !body) declarator: (identifier) @name body: (compound_statement) @body) @struct) @outer

(declaration declarator: (init_declarator declarator: (identifier) @name value: (lambda_expression declarator: (_ parameters: (_) @parameters)? body: (_) @body)) @lambda) @outer
(expression_statement (assignment_expression left: (identifier) @name right: (lambda_expression declarator: (_ parameters: (_) @parameters)? body: (_) @body))) @lambda

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (field_expression field: (template_method name: (field_identifier) @call)))
(call_expression function: (template_function name: (identifier) @call))
(call_expression function: (qualified_identifier name: (identifier) @call))
(call_expression function: (qualified_identifier name: (template_function name: (identifier) @call)))
(call_expression function: (qualified_identifier name: (qualified_identifier name: (identifier) @call)))
(new_expression type: (type_identifier) @call)
(new_expression type: (qualified_identifier name: (type_identifier) @call))
