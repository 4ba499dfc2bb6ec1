/* flagged: flagged.down.send */
inline flagged_down_send() {
    copy_message(flagged_m_, queue[queue_slot].m);
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = PORT_BELOW_DOWN_SEND;
    copy_message(queue[queue_end].m, flagged_m_);
    assert(queue[queue_end].m.flagged_header == 0); queue[queue_end].m.flagged_header = FLAGGED_FLAG;
    queue[queue_end].m.flagged_Flag_odd = MY.flagged.odd;
    queued();
    tmp1 = (!MY.flagged.odd);
    MY.flagged.odd = tmp1;
}
/* flagged: flagged.up.deliver.Flag */
inline flagged_up_deliver_Flag() {
    copy_message(flagged_m_, queue[queue_slot].m);
    flagged_odd_ = flagged_m_.flagged_Flag_odd;
    flagged_m_.flagged_Flag_odd = 0;
    flagged_m_.flagged_header = 0;
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = SIZED_UP_DELIVER;
    copy_message(queue[queue_end].m, flagged_m_);
    queued();
}
/* sized: sized.down.send */
inline sized_down_send() {
    copy_message(sized_m_, queue[queue_slot].m);
    sized_size_ = ((sized_m_.n) & 4095);
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = FLAGGED_DOWN_SEND;
    copy_message(queue[queue_end].m, sized_m_);
    assert(queue[queue_end].m.sized_header == 0); queue[queue_end].m.sized_header = SIZED_SIZE;
    queue[queue_end].m.sized_Size_kind = 5;
    queue[queue_end].m.sized_Size_size = sized_size_;
    queued();
}
/* sized: sized.up.deliver.Size */
inline sized_up_deliver_Size() {
    copy_message(sized_m_, queue[queue_slot].m);
    sized_kind_ = sized_m_.sized_Size_kind;
    sized_m_.sized_Size_kind = 0;
    sized_size_ = sized_m_.sized_Size_size;
    sized_m_.sized_Size_size = 0;
    sized_m_.sized_header = 0;
    if
    :: (sized_size_ == (sized_m_.n & 4095)) ->
        if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
        queue[queue_end].what = PORT_ABOVE_UP_DELIVER;
        copy_message(queue[queue_end].m, sized_m_);
        queued();
    :: else ->
        skip;
    fi;
}
