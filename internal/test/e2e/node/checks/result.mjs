import assert from 'node:assert/strict';

// text is that of a result's only block.
export function text(result) {
    assert.equal(result.content?.length, 1, `one block of content expected: ${JSON.stringify(result)}`);
    assert.equal(result.content[0].type, 'text');
    return result.content[0].text;
}
