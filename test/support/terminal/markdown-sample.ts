/** A text with every block that models write. */
export const markdownSample = `# Title *x*

Some **bold** and \`code\` with a [link](https://example.com) and a long paragraph that goes on and wraps 漢字漢字漢字漢字漢字漢字漢字 around.

- one
- two with more text that will wrap around at the width
  - nested 👨‍👩‍👧
- [ ] todo
- [x] done

3. three
4. four

\`\`\`ts
const x: number = 1; // comment
/* block
 comment */ return "str";
\`\`\`

| a | b long header | c |
|---|:-:|--:|
| 1 | some cell text that is long | 3 |
| x \`y\` | z | 100 |

> quote here
> more

### Sub

---
<div>html</div>
`;
