/* fn sums.note */
inline sums_note(REF_sums_note_side_, IN_sums_note_size_) {
    sums_note_size_ = IN_sums_note_size_;
    tmp1 = ((REF_sums_note_side_.messages + 1));
    REF_sums_note_side_.messages = tmp1;
    tmp3.lo = sums_note_size_; tmp3.hi = 0;
    tmp4.lo = REF_sums_note_side_.bytes_in_all.lo + tmp3.lo;
    tmp4.hi = REF_sums_note_side_.bytes_in_all.hi + tmp3.hi + BELOW(tmp4.lo, REF_sums_note_side_.bytes_in_all.lo);
    copy_wide(tmp2, tmp4);
    copy_wide(REF_sums_note_side_.bytes_in_all, tmp2);
}
/* sums: sums.down.send */
inline sums_down_send() {
    copy_message(sums_m_, queue[queue_slot].m);
    sums_note(MY.sums.sent, sums_m_.n);
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = PORT_BELOW_DOWN_SEND;
    copy_message(queue[queue_end].m, sums_m_);
    queued();
}
/* sums: sums.up.deliver */
inline sums_up_deliver() {
    copy_message(sums_m_, queue[queue_slot].m);
    sums_note(MY.sums.came, sums_m_.n);
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = PORT_ABOVE_UP_DELIVER;
    copy_message(queue[queue_end].m, sums_m_);
    queued();
}
