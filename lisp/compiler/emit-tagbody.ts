import { loopEntry, tagKey } from "./loop-entry.ts";
import { planTagbody } from "./tagbody-plan.ts";
import { type Dest, EFFECT, type Label } from "./emit-text.ts";
import { ExtentEmitter } from "./emit-extents.ts";
import type { Node, Tag, Tagbody } from "./ir.ts";

/** A tagbody being written. */
interface TagbodyState {
  /** Where a forward GO jumps. */
  readonly labels: Map<Tag, Label>;
  /** Where a backward GO jumps. */
  readonly loops: Map<Tag, Label>;
  readonly regions: number;
  /** Set when the segments are a switch in a loop. */
  readonly machine: { readonly state: string; readonly loop: Label } | null;
  /** Names that hold values at the head of its loops. */
  readonly live: readonly string[];
  /** Segment being written. */
  segment: number;
}

/** TAGBODY and GO: nested loops and blocks where the jumps nest, else a switch in a loop. */
export abstract class TagbodyEmitter extends ExtentEmitter {
  private readonly tagbodies = new Map<Tagbody, TagbodyState>();

  protected tagbody(node: Extract<Node, { op: "tagbody" }>, dest: Dest): void {
    if (this.fn.calls) this.dirty = true;
    const { tagbody } = node;
    if (!tagbody.unwinds) {
      this.segments(node);
      return this.deliver("N", dest, false);
    }
    this.bindVariable(tagbody.token, "R.exit()", node.segments);
    const token = tagbody.token.js;
    const state = this.newTemp();
    const loop = this.label("L", true);
    this.assign(state, this.firstSegment(node));
    // One round of the loop for each non-local GO; the region is entered anew each time.
    if (!this.slow) this.put(`${loop.name}:for(;;){`);
    this.place(loop);
    const caught = (): void =>
      this.put(`if(R.target===${token}){${state}=R.caught();${token}.live=true;${this.jump(loop)}}`);
    this.region({ leave: `${token}.live=false;`, depth: `${token}.depth`, caught }, () =>
      this.machine(node, state),
    );
    if (!this.slow) this.put("break;}");
    this.scope.pop();
    this.deliver("N", dest, false);
  }

  /** The segments of a tagbody as a switch inside a loop; `state` holds the segment to run. */
  protected machine(node: Extract<Node, { op: "tagbody" }>, state: string): void {
    const loop = this.label("M", true);
    const labels = new Map(node.tags.map((tag) => [tag, this.label("T")]));
    this.tagbodies.set(node.tagbody, {
      labels,
      regions: this.regions.length,
      machine: { state, loop },
      segment: -1,
      loops: labels,
      live: this.live(""),
    });
    if (!this.slow) {
      if (this.entry?.tag.tagbody === node.tagbody) this.put("q=false;");
      this.put(`${loop.name}:for(;;){switch(${state}){`);
      for (const [i, segment] of node.segments.entries()) {
        this.put(`case ${i}:`);
        this.node(segment, EFFECT);
      }
      this.put("}break;}");
      return;
    }
    for (const tag of node.tags) this.put(`if(${state}===${tag.index})${this.jump(labels.get(tag)!)}`);
    this.flatSegments(node, labels);
  }

  protected flatSegments(node: Extract<Node, { op: "tagbody" }>, labels: Map<Tag, Label>): void {
    const body = this.tagbodies.get(node.tagbody)!;
    for (const [i, segment] of node.segments.entries()) {
      if (body.machine === null) body.segment = i;
      for (const tag of node.tags) if (tag.index === i) this.place(labels.get(tag)!);
      this.node(segment, EFFECT);
    }
  }

  protected segments(node: Extract<Node, { op: "tagbody" }>): void {
    const plan = planTagbody(node);
    if (plan === null) {
      const state = this.newTemp();
      this.assign(state, this.firstSegment(node));
      this.machine(node, state);
      return;
    }
    const labels = new Map(node.tags.map((tag) => [tag, this.label("T")]));
    const loops = this.slow
      ? labels
      : new Map([...labels].map(([tag, label]) => [tag, { ...label, name: `L${label.name}`, loop: true }]));
    const live = this.live("");
    const body = { labels, loops, regions: this.regions.length, machine: null, segment: 0, live };
    this.tagbodies.set(node.tagbody, body);
    if (this.slow) return this.flatSegments(node, labels);
    for (const [i, segment] of node.segments.entries()) {
      body.segment = i;
      for (const close of plan.closeBefore[i]!) this.put(close === "forward" ? "}" : "break;}");
      for (const { kind, tag } of plan.openBefore[i]!) {
        this.put(kind === "forward" ? `${labels.get(tag)!.name}:{` : `${loops.get(tag)!.name}:for(;;){`);
        if (kind === "loop" && tag === this.entry?.tag) this.put("q=false;");
      }
      const skipped = this.entry !== null && i < this.entrySegment(node);
      if (skipped) this.put("if(!q){");
      this.node(segment, EFFECT);
      if (skipped) this.put("}");
    }
    for (const close of plan.closeAtEnd) this.put(close === "forward" ? "}" : "break;}");
  }

  /** Segment in which the entry lies or at which it begins; 0 when the entry does not lead here. */
  private entrySegment(node: Extract<Node, { op: "tagbody" }>): number {
    if (this.entry?.tag.tagbody === node.tagbody) return this.entry.tag.index;
    return Math.max(
      0,
      node.segments.findIndex((segment) => this.onPath(segment)),
    );
  }

  /** Where the switch of a tagbody starts. */
  private firstSegment(node: Extract<Node, { op: "tagbody" }>): string {
    const segment = this.entrySegment(node);
    return segment === 0 ? "0" : `q?${segment}:0`;
  }

  /** The slow version goes over to the fast one at the head of a loop. */
  private enterFast(tag: Tag, body: TagbodyState): boolean {
    if (!this.slow || this.unit.entries === null) return false;
    const entry = loopEntry(this.fn, tag);
    if (entry === null) return false;
    this.unit.entries.set(tagKey(tag), entry);
    for (let i = this.regions.length - 1; i >= body.regions; i--) this.put(this.regions[i]!.leave);
    this.put(
      `h=0;return F${this.fn.id}.enter("${tagKey(tag)}","${body.live.join(",")}",[${body.live.join(",")}]);`,
    );
    return true;
  }

  protected go(node: Extract<Node, { op: "go" }>): void {
    const { tag } = node;
    if (node.unwinds) {
      this.call(`R.unwindTo(${tag.tagbody.token.js},${tag.index})`, EFFECT, {});
      this.put(`R.unwindToTop();${this.unwindFurther()}`);
      return;
    }
    const body = this.tagbodies.get(tag.tagbody)!;
    const backward = tag.index <= body.segment || body.machine !== null;
    if (backward) {
      this.tick();
      if (this.enterFast(tag, body)) return;
    }
    if (body.machine !== null && !this.slow) {
      for (let i = this.regions.length - 1; i >= body.regions; i--) this.put(this.regions[i]!.leave);
      this.put(`${body.machine.state}=${tag.index};continue ${body.machine.loop.name};`);
      return;
    }
    this.leaveTo(body.regions, backward ? body.loops.get(tag)! : body.labels.get(tag)!);
  }
}
