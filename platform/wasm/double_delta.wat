;; Decodes double delta of at least two integers of any size. The first two values are followed by the changes of the
;; differences, each a sign and `bits` bits, at most 62, in a stream of 64-bit words that are filled from the top. Sums
;; wrap around as integers do. Reads up to 16 bytes after the input and writes up to 8 bytes after the result.
(module
  (memory (import "kernel" "memory") 1)
  (func (export "decode") (param $in i32) (param $bits i32) (param $out i32) (param $count i32) (param $size i32)
    (local $width i64) (local $at i64) (local $word i32) (local $stop i32)
    (local $value i64) (local $step i64) (local $field i64) (local $sign i64)
    (local.set $width (i64.extend_i32_u (i32.add (local.get $bits) (i32.const 1))))
    (local.set $stop (i32.add (local.get $out) (i32.mul (local.get $count) (local.get $size))))
    ;; eight bytes each; the upper ones are noise for smaller integers and do not affect the lower ones
    (local.set $value (i64.load (local.get $in)))
    (i64.store (local.get $out) (local.get $value))
    (local.set $in (i32.add (local.get $in) (local.get $size)))
    (local.set $out (i32.add (local.get $out) (local.get $size)))
    (local.set $step (i64.sub (i64.load (local.get $in)) (local.get $value)))
    (local.set $value (i64.load (local.get $in)))
    (i64.store (local.get $out) (local.get $value))
    (local.set $in (i32.add (local.get $in) (local.get $size)))
    (local.set $out (i32.add (local.get $out) (local.get $size)))
    (loop $next
      (if (i32.ge_u (local.get $out) (local.get $stop)) (then (return)))
      ;; from two words; the second may contribute no bits
      (local.set $word
        (i32.add (local.get $in) (i32.shl (i32.wrap_i64 (i64.shr_u (local.get $at) (i64.const 6))) (i32.const 3))))
      (local.set $field
        (i64.shr_u
          (i64.or
            (i64.shl (i64.load (local.get $word)) (local.get $at))
            (i64.shr_u
              (i64.shr_u (i64.load offset=8 (local.get $word)) (i64.const 1))
              (i64.xor (local.get $at) (i64.const 63))))
          (i64.sub (i64.const 64) (local.get $width))))
      (local.set $at (i64.add (local.get $at) (local.get $width)))
      ;; the sign as 0 or −1: x xor −1 is −x − 1
      (local.set $sign
        (i64.sub (i64.const 0) (i64.shr_u (local.get $field) (i64.sub (local.get $width) (i64.const 1)))))
      (local.set $field
        (i64.and
          (local.get $field)
          (i64.sub (i64.shl (i64.const 1) (i64.sub (local.get $width) (i64.const 1))) (i64.const 1))))
      (local.set $step
        (i64.add
          (local.get $step)
          (i64.sub (i64.xor (local.get $field) (local.get $sign)) (local.get $sign))))
      (local.set $value (i64.add (local.get $value) (local.get $step)))
      (i64.store (local.get $out) (local.get $value))
      (local.set $out (i32.add (local.get $out) (local.get $size)))
      (br $next))))
