/* wrapped: wrapped.down.send */
inline wrapped_down_send() {
    copy_message(wrapped_m_, queue[queue_slot].m);
    tmp1.n = 0;
    pack_1(tmp1, wrapped_m_);
    tmp2 = 0; do :: tmp2 < wrapped_m_.n -> put_byte(tmp1, wrapped_m_.b[tmp2]); tmp2++ :: else -> break od;
    tmp4 = wrapped_m_.is_data;
    zero_message(wrapped_whole_);
    if :: tmp1.n <= 2 :: else -> printf("report: 104 \n"); assert(false) fi;
    wrapped_whole_.is_data = tmp4; wrapped_whole_.n = tmp1.n; tmp3 = 0;
    do :: tmp3 < tmp1.n -> wrapped_whole_.b[tmp3] = tmp1.b[tmp3]; tmp3++ :: else -> break od;
    wrapped_size_ = ((wrapped_whole_.n) & 65535);
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = PORT_BELOW_DOWN_SEND;
    copy_message(queue[queue_end].m, wrapped_whole_);
    assert(queue[queue_end].m.wrapped_header == 0); queue[queue_end].m.wrapped_header = WRAPPED_WHOLE;
    queue[queue_end].m.wrapped_Whole_size = wrapped_size_;
    queued();
}
/* wrapped: wrapped.up.deliver.Whole */
inline wrapped_up_deliver_Whole() {
    copy_message(wrapped_m_, queue[queue_slot].m);
    wrapped_size_ = wrapped_m_.wrapped_Whole_size;
    wrapped_m_.wrapped_Whole_size = 0;
    wrapped_m_.wrapped_header = 0;
    if
    :: (wrapped_size_ != wrapped_m_.n) ->
        skip;
    :: else ->
        unpack_1(wrapped_m_, tmp5, tmp6);
        zero_option_message(wrapped_t2_);
        if
        :: tmp6 ->
            wrapped_t2_.some = 1;
            copy_message(wrapped_t2_.v, tmp5);
        :: else
        fi;
        copy_option_message(wrapped_t3_, wrapped_t2_);
        if
        :: (!wrapped_t3_.some) ->
            skip;
        :: else ->
            if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
            queue[queue_end].what = MARKED_UP_DELIVER;
            copy_message(queue[queue_end].m, wrapped_t3_.v);
            queued();
        fi;
    fi;
}
/* marked: marked.down.send */
inline marked_down_send() {
    copy_message(marked_m_, queue[queue_slot].m);
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = WRAPPED_DOWN_SEND;
    copy_message(queue[queue_end].m, marked_m_);
    assert(queue[queue_end].m.marked_header == 0); queue[queue_end].m.marked_header = MARKED_MARK;
    queue[queue_end].m.marked_Mark_at = 7;
    queued();
}
/* marked: marked.up.deliver.Mark */
inline marked_up_deliver_Mark() {
    copy_message(marked_m_, queue[queue_slot].m);
    marked_at_ = marked_m_.marked_Mark_at;
    marked_m_.marked_Mark_at = 0;
    marked_m_.marked_header = 0;
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = PORT_ABOVE_UP_DELIVER;
    copy_message(queue[queue_end].m, marked_m_);
    queued();
}
