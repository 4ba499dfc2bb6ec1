/* filter parity */
inline filter0_parity(IN0) {
    filter0_parity_out.n = 0; filter0_parity_rejected = 0; filter0_parity_at = 0;
    filter0_parity_sum_ = 0;
    filter0_parity_b_ = 0;
    do
    :: (filter0_parity_at < IN0.n) && !filter0_parity_rejected ->
        filter0_parity_b_ = (filter0_parity_at + 0 < IN0.n -> IN0.b[(filter0_parity_at + 0 < IN0.n -> filter0_parity_at + 0 : 0)] << 0 : 0);
        filter0_parity_at = filter0_parity_at + 1;
        filter0_parity_sum_ = (filter0_parity_sum_ ^ filter0_parity_b_);
    :: else -> break
    od;
    if
    :: !filter0_parity_rejected ->
        skip;
    :: else
    fi;
    filter0_parity_result = (filter0_parity_rejected -> 0 : filter0_parity_sum_);
}
/* checked: checked.down.send */
inline checked_down_send() {
    copy_message(checked_m_, queue[queue_slot].m);
    filter0_parity(checked_m_);
    tmp1 = filter0_parity_result;
    checked_sum_ = tmp1;
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = PORT_BELOW_DOWN_SEND;
    copy_message(queue[queue_end].m, checked_m_);
    assert(queue[queue_end].m.checked_header == 0); queue[queue_end].m.checked_header = CHECKED_PARITY;
    queue[queue_end].m.checked_Parity_sum = checked_sum_;
    queued();
}
/* checked: checked.up.deliver.Parity */
inline checked_up_deliver_Parity() {
    copy_message(checked_m_, queue[queue_slot].m);
    checked_sum_ = checked_m_.checked_Parity_sum;
    checked_m_.checked_Parity_sum = 0;
    checked_m_.checked_header = 0;
    filter0_parity(checked_m_);
    tmp2 = filter0_parity_result;
    if
    :: (checked_sum_ == tmp2) ->
        if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
        queue[queue_end].what = PORT_ABOVE_UP_DELIVER;
        copy_message(queue[queue_end].m, checked_m_);
        queued();
    :: else ->
        skip;
    fi;
}
