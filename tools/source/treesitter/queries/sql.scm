[(comment) (marginalia)] @comment

(create_schema (identifier) @name) @module
(create_table (object_reference name: (identifier) @name) (column_definitions) @body) @struct
(create_table (object_reference name: (identifier) @name)) @struct
(create_table (column_definitions (column_definition name: (identifier) @name) @property))
(create_view (object_reference name: (identifier) @name)) @struct
(create_materialized_view (object_reference name: (identifier) @name)) @struct
(create_index column: (identifier) @name) @object
(create_function (keyword_function) . (object_reference name: (identifier) @name) (function_body) @body) @function
(create_trigger (keyword_trigger) . (object_reference name: (identifier) @name)) @function
(create_type (object_reference name: (identifier) @name)) @typeAlias
(create_sequence (object_reference name: (identifier) @name)) @object

(invocation (object_reference name: (identifier) @call))
