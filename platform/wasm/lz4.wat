;; Decodes a raw LZ4 block. Copies run in steps of 16 bytes, past the end of their source and target: memory must extend
;; 32 bytes after the result and after the input. All positions are checked before access. Returns 1 if the block is
;; complete and decodes to exactly `size` bytes, otherwise 0. The twin in TypeScript reports the reason.
(module
  (memory (import "kernel" "memory") 1)
  (func (export "decode") (param $in i32) (param $length i32) (param $out i32) (param $size i32) (result i32)
    (local $end i32) (local $limit i32) (local $to i32) (local $token i32) (local $n i32) (local $byte i32)
    (local $from i32) (local $at i32) (local $stop i32) (local $distance i32)
    (local $shortEnd i32) (local $shortLimit i32) (local $near i32)
    (local.set $end (i32.add (local.get $in) (local.get $length)))
    (local.set $limit (i32.add (local.get $out) (local.get $size)))
    (local.set $to (local.get $out))
    (if (i32.gt_u (local.get $length) (i32.const 32))
      (then (local.set $shortEnd (i32.sub (local.get $end) (i32.const 32)))))
    (if (i32.gt_u (local.get $size) (i32.const 32))
      (then (local.set $shortLimit (i32.sub (local.get $limit) (i32.const 32)))))
    (loop $sequence
      (if (i32.ge_u (local.get $in) (local.get $end)) (then (return (i32.const 0))))
      (local.set $token (i32.load8_u (local.get $in)))
      (local.set $in (i32.add (local.get $in) (i32.const 1)))
      (block $literals
        ;; nearly all sequences: at most 14 literals and 18 bytes of match, and neither end is near. Copied without
        ;; testing their number, so that the processor has no branch to predict
        (if
          (i32.and
            (i32.lt_u (local.get $token) (i32.const 0xf0))
            (i32.and
              (i32.lt_u (local.get $in) (local.get $shortEnd))
              (i32.lt_u (local.get $to) (local.get $shortLimit))))
          (then
            (v128.store (local.get $to) (v128.load (local.get $in)))
            (local.set $n (i32.shr_u (local.get $token) (i32.const 4)))
            (local.set $in (i32.add (local.get $in) (local.get $n)))
            (local.set $to (i32.add (local.get $to) (local.get $n)))
            (local.set $distance (i32.load16_u (local.get $in)))
            (local.set $from (i32.sub (local.get $to) (local.get $distance)))
            (local.set $n (i32.and (local.get $token) (i32.const 15)))
            (br_if $literals
              (i32.or
                (i32.eq (local.get $n) (i32.const 15))
                (i32.or
                  (i32.lt_u (local.get $distance) (i32.const 8))
                  (i32.gt_u (local.get $distance) (i32.sub (local.get $to) (local.get $out))))))
            (i64.store (local.get $to) (i64.load (local.get $from)))
            (i64.store offset=8 (local.get $to) (i64.load offset=8 (local.get $from)))
            (i64.store offset=16 (local.get $to) (i64.load offset=16 (local.get $from)))
            (local.set $in (i32.add (local.get $in) (i32.const 2)))
            (local.set $to (i32.add (local.get $to) (i32.add (local.get $n) (i32.const 4))))
            (br $sequence)))
        (local.set $n (i32.shr_u (local.get $token) (i32.const 4)))
        (if (i32.eq (local.get $n) (i32.const 15))
          (then
            (loop $more
              (if (i32.ge_u (local.get $in) (local.get $end)) (then (return (i32.const 0))))
              (local.set $byte (i32.load8_u (local.get $in)))
              (local.set $in (i32.add (local.get $in) (i32.const 1)))
              (local.set $n (i32.add (local.get $n) (local.get $byte)))
              (br_if $more (i32.eq (local.get $byte) (i32.const 255))))))
        (if (i32.gt_u (local.get $n) (i32.sub (local.get $end) (local.get $in))) (then (return (i32.const 0))))
        (if (i32.gt_u (local.get $n) (i32.sub (local.get $limit) (local.get $to))) (then (return (i32.const 0))))
        (local.set $stop (i32.add (local.get $to) (local.get $n)))
        (if (local.get $n)
          (then
            (local.set $from (local.get $in))
            (local.set $at (local.get $to))
            (loop $copy
              (v128.store (local.get $at) (v128.load (local.get $from)))
              (local.set $from (i32.add (local.get $from) (i32.const 16)))
              (local.set $at (i32.add (local.get $at) (i32.const 16)))
              (br_if $copy (i32.lt_u (local.get $at) (local.get $stop))))))
        (local.set $in (i32.add (local.get $in) (local.get $n)))
        (local.set $to (local.get $stop))
        ;; only the last sequence has no match
        (if (i32.eq (local.get $in) (local.get $end))
          (then (return (i32.eq (local.get $to) (local.get $limit))))))
      (if (i32.lt_u (i32.sub (local.get $end) (local.get $in)) (i32.const 2)) (then (return (i32.const 0))))
      (local.set $distance (i32.load16_u (local.get $in)))
      (local.set $in (i32.add (local.get $in) (i32.const 2)))
      (if (i32.eqz (local.get $distance)) (then (return (i32.const 0))))
      (if (i32.gt_u (local.get $distance) (i32.sub (local.get $to) (local.get $out))) (then (return (i32.const 0))))
      ;; match
      (local.set $n (i32.and (local.get $token) (i32.const 15)))
      (if (i32.eq (local.get $n) (i32.const 15))
        (then
          (loop $more
            (if (i32.ge_u (local.get $in) (local.get $end)) (then (return (i32.const 0))))
            (local.set $byte (i32.load8_u (local.get $in)))
            (local.set $in (i32.add (local.get $in) (i32.const 1)))
            (local.set $n (i32.add (local.get $n) (local.get $byte)))
            (br_if $more (i32.eq (local.get $byte) (i32.const 255))))))
      (local.set $n (i32.add (local.get $n) (i32.const 4)))
      (if (i32.gt_u (local.get $n) (i32.sub (local.get $limit) (local.get $to))) (then (return (i32.const 0))))
      (local.set $from (i32.sub (local.get $to) (local.get $distance)))
      (local.set $at (local.get $to))
      (local.set $stop (i32.add (local.get $to) (local.get $n)))
      ;; a match that overlaps itself: byte by byte, until the distance is the size of a vector
      (if (i32.lt_u (local.get $distance) (i32.const 16))
        (then
          (loop $twice
            (local.set $distance (i32.shl (local.get $distance) (i32.const 1)))
            (br_if $twice (i32.lt_u (local.get $distance) (i32.const 16))))
          (local.set $near (i32.add (local.get $from) (local.get $distance)))
          (if (i32.gt_u (local.get $near) (local.get $stop)) (then (local.set $near (local.get $stop))))
          (loop $byte
            (i32.store8 (local.get $at) (i32.load8_u (local.get $from)))
            (local.set $from (i32.add (local.get $from) (i32.const 1)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br_if $byte (i32.lt_u (local.get $at) (local.get $near))))
          (local.set $from (i32.sub (local.get $at) (local.get $distance)))))
      (loop $copy
        (v128.store (local.get $at) (v128.load (local.get $from)))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $copy (i32.lt_u (local.get $at) (local.get $stop))))
      (local.set $to (local.get $stop))
      (br $sequence))
    (unreachable)))
