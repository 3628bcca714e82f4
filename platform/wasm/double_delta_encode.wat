;; Encodes double delta of at least three 64-bit integers: determines the bits of the widest change of the differences, then
;; writes the stream: each change as a sign and that number of bits, in 64-bit words that are filled from the top. Returns the
;; bits; from 63 on no stream is written. 255: a difference or a change exceeds 64 bits. The stream is shorter than the values.
(module
  (memory (import "kernel" "memory") 1)
  (func (export "encode")
    (param $in i32) (param $size i32) (param $out i32) (param $flip i64) (param $first i64) (result i32)
    (local $stop i32) (local $at i32) (local $value i64) (local $before i64) (local $step i64) (local $next i64)
    (local $change i64) (local $sign i64) (local $all i64) (local $over i64)
    (local $bits i64) (local $width i64) (local $left i64) (local $word i64) (local $more i64)
    (local.set $stop (i32.add (local.get $in) (local.get $size)))
    ;; the step to the second value counts as a change, if `first` is all ones; `flip` makes unsigned values signed ones
    (local.set $before (i64.xor (i64.load (local.get $in)) (local.get $flip)))
    (local.set $value (i64.xor (i64.load offset=8 (local.get $in)) (local.get $flip)))
    (local.set $step (i64.sub (local.get $value) (local.get $before)))
    (local.set $over
      (i64.and
        (i64.xor (local.get $value) (local.get $before))
        (i64.xor (local.get $value) (local.get $step))))
    (local.set $sign (i64.shr_s (local.get $step) (i64.const 63)))
    (local.set $all
      (i64.and
        (i64.sub (i64.xor (local.get $step) (local.get $sign)) (local.get $sign))
        (local.get $first)))
    (local.set $at (i32.add (local.get $in) (i32.const 16)))
    (loop $measure
      (local.set $before (local.get $value))
      (local.set $value (i64.xor (i64.load (local.get $at)) (local.get $flip)))
      (local.set $next (i64.sub (local.get $value) (local.get $before)))
      (local.set $change (i64.sub (local.get $next) (local.get $step)))
      (local.set $over
        (i64.or
          (local.get $over)
          (i64.or
            (i64.and
              (i64.xor (local.get $value) (local.get $before))
              (i64.xor (local.get $value) (local.get $next)))
            (i64.and
              (i64.xor (local.get $next) (local.get $step))
              (i64.xor (local.get $next) (local.get $change))))))
      (local.set $sign (i64.shr_s (local.get $change) (i64.const 63)))
      (local.set $all
        (i64.or
          (local.get $all)
          (i64.sub (i64.xor (local.get $change) (local.get $sign)) (local.get $sign))))
      (local.set $step (local.get $next))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $measure (i32.lt_u (local.get $at) (local.get $stop))))
    (if (i64.lt_s (local.get $over) (i64.const 0)) (then (return (i32.const 255))))
    (local.set $bits (i64.sub (i64.const 64) (i64.clz (i64.or (local.get $all) (i64.const 1)))))
    (if (i64.ge_u (local.get $bits) (i64.const 63)) (then (return (i32.wrap_i64 (local.get $bits)))))
    (local.set $width (i64.add (local.get $bits) (i64.const 1)))
    (local.set $left (i64.const 64))
    (local.set $value (i64.load offset=8 (local.get $in)))
    (local.set $step (i64.sub (local.get $value) (i64.load (local.get $in))))
    (local.set $at (i32.add (local.get $in) (i32.const 16)))
    (loop $pack
      (local.set $before (local.get $value))
      (local.set $value (i64.load (local.get $at)))
      (local.set $next (i64.sub (local.get $value) (local.get $before)))
      (local.set $change (i64.sub (local.get $next) (local.get $step)))
      (local.set $step (local.get $next))
      (local.set $sign (i64.shr_s (local.get $change) (i64.const 63)))
      ;; the sign and the magnitude of the change
      (local.set $change
        (i64.or
          (i64.shl (i64.and (local.get $sign) (i64.const 1)) (local.get $bits))
          (i64.sub (i64.xor (local.get $change) (local.get $sign)) (local.get $sign))))
      (if (i64.gt_u (local.get $left) (local.get $width))
        (then
          (local.set $left (i64.sub (local.get $left) (local.get $width)))
          (local.set $word (i64.or (local.get $word) (i64.shl (local.get $change) (local.get $left)))))
        (else
          (local.set $more (i64.sub (local.get $width) (local.get $left)))
          (i64.store
            (local.get $out)
            (i64.or (local.get $word) (i64.shr_u (local.get $change) (local.get $more))))
          (local.set $out (i32.add (local.get $out) (i32.const 8)))
          (local.set $left (i64.sub (i64.const 64) (local.get $more)))
          ;; in two steps, as a shift by 64 is one by 0
          (local.set $word
            (i64.shl
              (i64.shl (local.get $change) (i64.sub (local.get $left) (i64.const 1)))
              (i64.const 1)))))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $pack (i32.lt_u (local.get $at) (local.get $stop))))
    (if (i64.lt_u (local.get $left) (i64.const 64)) (then (i64.store (local.get $out) (local.get $word))))
    (i32.wrap_i64 (local.get $bits))))
