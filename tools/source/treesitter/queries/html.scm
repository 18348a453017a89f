(comment) @comment

(element (start_tag (tag_name) @name) @body) @object
(element (self_closing_tag (tag_name) @name)) @object
(script_element (start_tag (tag_name) @name) (raw_text) @body) @object
(style_element (start_tag (tag_name) @name) (raw_text) @body) @object
