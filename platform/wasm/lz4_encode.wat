;; Encodes a raw LZ4 block as the fast encoder of LZ4 does: greedy, with one candidate per hash. Reads up to 16 bytes after
;; the input and writes up to 16 bytes after the result; a result takes at most size + size / 255 + 16 bytes. The table with
;; 8192 positions is in the first half of the kernels' own page, from address 0.
(module
  (memory (import "kernel" "memory") 1)

  ;; where in the table the four bytes at an address are looked up
  (func $slot (param $at i32) (result i32)
    (i32.shl
      (i32.shr_u (i32.mul (i32.load (local.get $at)) (i32.const 0x9e3779b1)) (i32.const 19))
      (i32.const 2)))

  ;; the bytes of a length beyond the 15 of the token; returns their end
  (func $length (param $to i32) (param $rest i32) (result i32)
    (loop $more
      (if (i32.ge_u (local.get $rest) (i32.const 255))
        (then
          (i32.store8 (local.get $to) (i32.const 255))
          (local.set $to (i32.add (local.get $to) (i32.const 1)))
          (local.set $rest (i32.sub (local.get $rest) (i32.const 255)))
          (br $more))))
    (i32.store8 (local.get $to) (local.get $rest))
    (i32.add (local.get $to) (i32.const 1)))

  ;; literals after their token, whose lower half is left 0; returns their end
  (func $literals (param $from i32) (param $count i32) (param $to i32) (result i32)
    (local $stop i32)
    (if (i32.lt_u (local.get $count) (i32.const 15))
      (then
        (i32.store8 (local.get $to) (i32.shl (local.get $count) (i32.const 4)))
        (local.set $to (i32.add (local.get $to) (i32.const 1))))
      (else
        (i32.store8 (local.get $to) (i32.const 0xf0))
        (local.set $to
          (call $length (i32.add (local.get $to) (i32.const 1)) (i32.sub (local.get $count) (i32.const 15))))))
    (local.set $stop (i32.add (local.get $to) (local.get $count)))
    (loop $copy
      (v128.store (local.get $to) (v128.load (local.get $from)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br_if $copy (i32.lt_u (local.get $to) (local.get $stop))))
    (local.get $stop))

  ;; returns the size of the result
  (func (export "encode") (param $in i32) (param $size i32) (param $out i32) (result i32)
    (local $at i32) (local $anchor i32) (local $to i32) (local $last i32) (local $end i32)
    (local $found i32) (local $slot i32) (local $tries i32) (local $next i32) (local $token i32)
    (local $from i32) (local $differing i64)
    (local.set $to (local.get $out))
    (local.set $anchor (local.get $in))
    (block $finish
      (br_if $finish (i32.lt_u (local.get $size) (i32.const 13)))
      (memory.fill (i32.const 0) (i32.const 0) (i32.const 32768))
      ;; the last match starts 12 bytes before the end, and no match takes the last 5
      (local.set $last (i32.add (local.get $in) (i32.sub (local.get $size) (i32.const 12))))
      (local.set $end (i32.add (local.get $in) (i32.sub (local.get $size) (i32.const 5))))
      (local.set $at (i32.add (local.get $in) (i32.const 1)))
      (loop $sequence
        ;; searches for a match: steps grow without one, so that noise passes quickly
        (local.set $tries (i32.const 64))
        (local.set $next (local.get $at))
        (loop $search
          (local.set $at (local.get $next))
          (br_if $finish (i32.gt_u (local.get $at) (local.get $last)))
          (local.set $next (i32.add (local.get $at) (i32.shr_u (local.get $tries) (i32.const 6))))
          (local.set $tries (i32.add (local.get $tries) (i32.const 1)))
          (local.set $slot (call $slot (local.get $at)))
          (local.set $found (i32.add (local.get $in) (i32.load (local.get $slot))))
          (i32.store (local.get $slot) (i32.sub (local.get $at) (local.get $in)))
          (br_if $search (i32.ne (i32.load (local.get $found)) (i32.load (local.get $at))))
          (br_if $search (i32.gt_u (i32.sub (local.get $at) (local.get $found)) (i32.const 65535))))
        ;; it may start earlier
        (loop $back
          (if (i32.and
              (i32.gt_u (local.get $at) (local.get $anchor))
              (i32.gt_u (local.get $found) (local.get $in)))
            (then
              (if (i32.eq
                  (i32.load8_u (i32.sub (local.get $at) (i32.const 1)))
                  (i32.load8_u (i32.sub (local.get $found) (i32.const 1))))
                (then
                  (local.set $at (i32.sub (local.get $at) (i32.const 1)))
                  (local.set $found (i32.sub (local.get $found) (i32.const 1)))
                  (br $back))))))
        (local.set $token (local.get $to))
        (local.set $to
          (call $literals (local.get $anchor) (i32.sub (local.get $at) (local.get $anchor)) (local.get $to)))
        (loop $match
          (i32.store16 (local.get $to) (i32.sub (local.get $at) (local.get $found)))
          (local.set $to (i32.add (local.get $to) (i32.const 2)))
          (local.set $from (local.tee $at (i32.add (local.get $at) (i32.const 4))))
          (local.set $found (i32.add (local.get $found) (i32.const 4)))
          ;; how long: eight bytes at once, the first that differs by its lowest bit
          (block $counted
            (loop $count
              (if (i32.le_u (local.get $at) (i32.sub (local.get $end) (i32.const 8)))
                (then
                  (local.set $differing (i64.xor (i64.load (local.get $at)) (i64.load (local.get $found))))
                  (if (i64.eqz (local.get $differing))
                    (then
                      (local.set $at (i32.add (local.get $at) (i32.const 8)))
                      (local.set $found (i32.add (local.get $found) (i32.const 8)))
                      (br $count)))
                  (local.set $at
                    (i32.add
                      (local.get $at)
                      (i32.wrap_i64 (i64.shr_u (i64.ctz (local.get $differing)) (i64.const 3)))))
                  (br $counted))))
            (loop $rest
              (if (i32.lt_u (local.get $at) (local.get $end))
                (then
                  (if (i32.eq (i32.load8_u (local.get $at)) (i32.load8_u (local.get $found)))
                    (then
                      (local.set $at (i32.add (local.get $at) (i32.const 1)))
                      (local.set $found (i32.add (local.get $found) (i32.const 1)))
                      (br $rest)))))))
          (local.set $from (i32.sub (local.get $at) (local.get $from)))
          (if (i32.lt_u (local.get $from) (i32.const 15))
            (then
              (i32.store8 (local.get $token) (i32.or (i32.load8_u (local.get $token)) (local.get $from))))
            (else
              (i32.store8 (local.get $token) (i32.or (i32.load8_u (local.get $token)) (i32.const 15)))
              (local.set $to (call $length (local.get $to) (i32.sub (local.get $from) (i32.const 15))))))
          (local.set $anchor (local.get $at))
          (br_if $finish (i32.gt_u (local.get $at) (local.get $last)))
          (i32.store
            (call $slot (i32.sub (local.get $at) (i32.const 2)))
            (i32.sub (i32.sub (local.get $at) (i32.const 2)) (local.get $in)))
          ;; a match may follow at once
          (local.set $slot (call $slot (local.get $at)))
          (local.set $found (i32.add (local.get $in) (i32.load (local.get $slot))))
          (i32.store (local.get $slot) (i32.sub (local.get $at) (local.get $in)))
          (if (i32.and
              (i32.eq (i32.load (local.get $found)) (i32.load (local.get $at)))
              (i32.le_u (i32.sub (local.get $at) (local.get $found)) (i32.const 65535)))
            (then
              (local.set $token (local.get $to))
              (i32.store8 (local.get $to) (i32.const 0))
              (local.set $to (i32.add (local.get $to) (i32.const 1)))
              (br $match))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $sequence)))
    (i32.sub
      (call $literals
        (local.get $anchor)
        (i32.sub (i32.add (local.get $in) (local.get $size)) (local.get $anchor))
        (local.get $to))
      (local.get $out))))
