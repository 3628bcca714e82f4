/**
 * Compares types exactly, unlike an assignment: `exactly<number>()(1 as number)` is an error if either type is wider.
 */
type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends (<X>() => X extends B ? 1 : 2) ? true : false

/** Accepts a value of exactly type `A`, which is ignored. */
export const exactly = <A>() => <B>(_value: B, ..._same: Equal<A, B> extends true ? [] : [never]): void => {}
